import { describe, expect, test } from "vitest"
import { parseArguments } from "../../src/cli/args.ts"

const NOTHING = { command: "none", prompt: undefined, values: {} }
const read = (line: string) => parseArguments(line === "" ? [] : line.split(" "))

describe("the command", () => {
  test.for([
    ["", "none"],
    ["--acp", "acp"],
    ["acp", "acp"],
    ["-p hi", "prompt"],
    ["--prompt hi", "prompt"],
    ["login", "login"],
    ["--login", "login"],
    ["logout", "logout"],
    ["--version", "version"],
    ["-v", "version"],
    ["--help", "help"],
    ["-h", "help"],
  ] as const)("R-002 %s is %s", ([line, command]) => {
    expect(read(line).command).toBe(command)
  })

  test.for([
    ["--acp --login", "login"],
    ["--acp login", "login"],
    ["--acp --help", "help"],
    ["--acp -p hi", "prompt"],
  ] as const)("of two that an editor has put together the stronger is done: %s is %s", ([line, command]) => {
    expect(read(line).command).toBe(command)
  })
})

describe("options", () => {
  test("R-129 take a value, behind a blank or an equals sign", () => {
    expect(read("--acp --approval-mode auto_edit --model=a=b --dialect koda")).toEqual({
      ...NOTHING,
      command: "acp",
      values: { "--approval-mode": "auto_edit", "--model": "a=b", "--dialect": "koda" },
    })
  })

  test('the mode "act" is code', () => {
    expect(read("--mode act").values).toEqual({ "--mode": "code" })
  })

  test.for([
    ["--approval-mode root", '--approval-mode is one of default, auto_edit, yolo, read_only, not "root"'],
    ["--mode", "--mode needs a value: code|ask|plan|debug|educator"],
    ["--aproval-mode yolo", 'There is no option "--aproval-mode"; did you mean "--approval-mode"?'],
    ["--versoin", 'There is no option "--versoin"; did you mean "--version"?'],
    ["--colour", 'There is no option "--colour"'],
    ["logn", 'There is no command "logn"; did you mean "login"?'],
    ["frobnicate", 'There is no command "frobnicate"; if it is a prompt, write koda -p "frobnicate"'],
    ["--sandbox=no", '--sandbox takes no value, and was given "no"'],
    ["--acp=1", '--acp takes no value, and was given "1"'],
  ] as const)("%s: %s", ([line, message]) => {
    expect(() => read(line)).toThrow(expect.objectContaining({ name: "UsageError", message }))
  })
})

describe("-p", () => {
  test("takes a word for the prompt that would be a command elsewhere", () => {
    expect(read("-p login")).toMatchObject({ command: "prompt", prompt: "login" })
    expect(read("-p help")).toMatchObject({ command: "prompt", prompt: "help" })
  })

  test("takes the next word for the prompt, also one that begins with a dash", () => {
    expect(parseArguments(["-p", "- what is this?"]).prompt).toBe("- what is this?")
    expect(parseArguments(["--prompt=--acp is what?"]).prompt).toBe("--acp is what?")
  })

  test("without a word, or with an option behind it, takes the pipe", () => {
    expect(read("-p").prompt).toBe(undefined)
    expect(read("-p --model m")).toEqual({ command: "prompt", prompt: undefined, values: { "--model": "m" } })
  })

  test("says so if the prompt was not put in quotes", () => {
    expect(() => read("-p what is this")).toThrow('"is" stands outside of the prompt; put the whole prompt in quotes')
  })
})
