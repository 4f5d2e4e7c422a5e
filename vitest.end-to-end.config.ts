import { defineConfig } from "vitest/config"

/** Drives what `npm run build` made, as an editor would. */
export default defineConfig({
  test: {
    include: ["test/end-to-end/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
