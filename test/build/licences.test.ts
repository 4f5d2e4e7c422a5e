import { expect, test } from "vitest"
import { packagesOf } from "../../build/licences.ts"

test("the packages of a bundle are read from its source maps", () => {
  const sources = [
    "../src/mod.ts",
    "../node_modules/yaml/dist/a.js",
    "../node_modules/@a/b/node_modules/c/x.js",
    "x/node_modules/@a/b/y.js",
  ]
  expect(packagesOf(sources)).toEqual(["yaml", "c", "@a/b"])
})
