import { defineConfig } from "vitest/config"

/** Unit tests and the contract; the same files run on Node, Bun and Deno. */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/end-to-end/**"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
