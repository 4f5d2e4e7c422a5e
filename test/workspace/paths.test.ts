import { expect, test } from "vitest"
import { isWithin, joinPath, nameOf, parentOf, pathWithin, resolvePath, shownPath } from "../../src/workspace/paths.ts"

test.each([
  ["src/a.ts", "/work/src/a.ts"],
  ["./src//b/../a.ts", "/work/src/a.ts"],
  ["../../../x", "/x"],
  ["", "/work"],
  [".", "/work"],
  ["/etc/hosts", "/etc/hosts"],
  ["/etc/", "/etc"],
  ["~", "/home/me"],
  ["~/notes", "/home/me/notes"],
  ["~x", "/work/~x"],
  ["file:///tmp/a%20b", "/tmp/a b"],
  ["file:///tmp/100%", "/tmp/100%"],
  ["file://%zz/x", "/%zz/x"],
  ["a\\b", "/work/a\\b"],
])("the path %j in /work means %j", (path, absolute) => {
  expect(resolvePath("/work", path, "/home/me")).toBe(absolute)
})

test.each([
  ["src/a.ts", "C:\\work\\src\\a.ts"],
  ["..\\x", "C:\\x"],
  ["..\\..\\..\\x", "C:\\x"],
  ["d:/tools", "d:\\tools"],
  ["~/notes", "C:\\Users\\me\\notes"],
  ["\\\\host\\share\\a\\..\\b", "\\\\host\\share\\b"],
  ["file:///C:/x", "C:\\x"],
])("on Windows the path %j in C:\\work means %j", (path, absolute) => {
  expect(resolvePath("C:\\work", path, "C:\\Users\\me")).toBe(absolute)
})

test("a path is taken apart and put together again", () => {
  expect(["/a/b.ts", "/a", "/"].map((path) => [parentOf(path), nameOf(path)])).toEqual([
    ["/a", "b.ts"],
    ["/", "a"],
    ["/", ""],
  ])
  expect([parentOf("C:\\a\\b"), parentOf("C:\\a"), nameOf("C:\\a\\b")]).toEqual(["C:\\a", "C:\\", "b"])
  expect([joinPath("/", "a"), joinPath("/a", "b", "c"), joinPath("C:\\", "a")]).toEqual(["/a", "/a/b/c", "C:\\a"])
})

test("what lies in a folder is told from what only begins like it", () => {
  expect(["/a", "/a/b/c", "/ab", "/"].map((path) => [isWithin("/a", path), pathWithin("/a", path)])).toEqual([
    [true, ""],
    [true, "b/c"],
    [false, undefined],
    [false, undefined],
  ])
  expect([pathWithin("/", "/a/b"), pathWithin("C:\\w", "C:\\w\\a\\b")]).toEqual(["a/b", "a/b"])
})

test("paths are shown from the workspace, from home, or whole", () => {
  const place = { cwd: "/home/me/work", home: "/home/me" }
  expect(
    ["/home/me/work/src/a.ts", "/home/me/work", "/home/me/x", "/etc/hosts"].map((path) => shownPath(path, place)),
  ).toEqual(["src/a.ts", ".", "~/x", "/etc/hosts"])
})
