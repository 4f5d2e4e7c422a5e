import { expect, test } from "vitest"
import { requirementErrors } from "../../build/check-requirements.ts"

/** Built, so that this file names none of them itself. */
const r = (number: string) => `R-${number}`

test("a claimed requirement that no title names is an error, and the count is told", () => {
  const list = `# a remark\n${r("001")}…${r("003")}\n${r("004")}…${r("367")}: not yet\n`
  const tests = new Map([
    ["test/a.test.ts", `test("${r("001")} speaks JSON-RPC", () => {})\n// ${r("002")} is only talked of\n`],
    ["test/b.test.ts", `test(\`${r("003")}: starts\`, () => {})\n`],
  ])
  expect(requirementErrors(list, tests)).toEqual({
    errors: [`${r("002")} is claimed and no test names it`],
    claimed: 3,
    tested: 2,
  })
})

test("a title may name a range", () => {
  const list = `${r("001")}…${r("004")}\n${r("005")}…${r("367")}: not yet\n`
  const tests = new Map([["test/a.test.ts", `test("${r("001")}…004 all of it", () => {})`]])
  expect(requirementErrors(list, tests)).toEqual({ errors: [], claimed: 4, tested: 4 })
})

test("each requirement is claimed or left out, not both, and tests name only those that exist", () => {
  const list = `${r("001")}\n${r("001")}: changed our mind\n${r("003")}…${r("367")}: not yet\nwhatever\n`
  const tests = new Map([["test/a.test.ts", `test("${r("001")} and ${r("368")}", () => {})`]])
  expect(requirementErrors(list, tests).errors).toEqual([
    `the list of requirements has a line that is none: "whatever"`,
    `${r("002")} is neither claimed nor left out`,
    `${r("001")} is claimed and left out`,
    `a test names ${r("368")}, which is no requirement`,
  ])
})
