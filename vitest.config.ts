import process from "node:process"
import { defineConfig } from "vitest/config"

/** Which of the three runs us: each has a contract of its own. */
const here = process.versions.bun ? "bun" : process.versions.deno ? "deno" : "node"
const elsewhere = ["node", "bun", "deno"].filter((name) => name !== here)

/** Unit tests and the contract; the same files run on Node, Bun and Deno. What builds us, and what is written about us, runs on Node alone. */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [
      "test/end-to-end/**",
      ...elsewhere.map((name) => `test/runtime/${name}.test.ts`),
      ...(here === "node" ? [] : ["test/build/**", "test/docs/**"]),
    ],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
