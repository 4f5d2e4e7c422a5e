import assert from "node:assert/strict"
import fc from "fast-check"
import { test } from "vitest"
import { inspectCommand } from "../../src/permission/shell.ts"
import { shownGlob } from "../../src/permission/shell-globs.ts"

/** An expansion of a variable: `${x}`. */
const braced = (text: string) => `$\{${text}}`

const inspect = (command: string) => inspectCommand(command, "/w", "/home/u")

/** Those of the commands that are taken for reading ones. */
async function reading(commands: readonly string[]): Promise<string[]> {
  const facts = await Promise.all(commands.map(inspect))
  return commands.filter((_, index) => facts[index]?.reading)
}

/** What a reading command reads besides its folder; what can't be told has a `?`. */
async function reads(command: string): Promise<string[]> {
  const facts = await inspect(command)
  if (!facts.reading) return [`not reading: ${facts.why}`]
  return [...facts.reads.filter((path) => path !== "/w"), ...facts.unresolved.map((word) => `? ${word}`)]
}

test("PE-01 every command of a line counts, however they are joined", async () => {
  const joined = [
    "git status && rm -rf x",
    "ls; touch p",
    "ls | tee p",
    "ls & touch p",
    "ls\ntouch p",
    "ls || touch p",
    "ls |& tee p",
    "(ls; touch p)",
    "{ ls; touch p; }",
    "! touch p",
    "cd x && touch p",
  ]
  assert.deepEqual(await reading(joined), [])
  const fine = [
    "git status && ls",
    "ls; pwd",
    "ls | head -5 | wc -l",
    "ls\npwd",
    "ls || true",
    "ls |& cat",
    "(cd src; ls)",
    "{ ls; pwd; }",
    "! ls",
    "ls # touch p",
  ]
  assert.deepEqual(await reading(fine), fine)
})

test("PE-01 what goes on in the background, loops, conditions and functions are not reading", async () => {
  const commands = [
    "ls &",
    "for f in a; do ls; done",
    "while true; do ls; done",
    "if ls; then ls; fi",
    "case a in a) ls;; esac",
    "ls() { touch p; }; ls",
    "time ls",
    "[[ -f a ]]",
    "(( a = 1 ))",
    "coproc ls",
    "select f in a; do ls; done",
  ]
  assert.deepEqual(await reading(commands), [])
})

test("PE-02 a substitution hidden in a harmless command is not reading", async () => {
  const commands = [
    "echo $(touch p)",
    "echo `touch p`",
    "cat <(touch p)",
    "ls >(touch p)",
    `echo "${braced("x:-$(touch p)")}"`,
    'echo "$(touch p)"',
    'echo "a\\"; touch p; \\""; touch p',
    'echo a"; touch p; "b"\n touch p"\ntouch p',
    "cat <<E\n$(touch p)\nE",
    "cat <<< $(touch p)",
    "echo $((`touch p`))",
    `echo ${braced("x@P")}`,
    `echo ${braced("!x")}`,
    `echo ${braced("x:=1")}`,
    "echo a[$(touch p)]",
    "echo $'\\x24(touch p)'",
    "echo $[$(touch p)]",
    "test -v 'a[$(touch p)]'",
    "[ -R 'a[$(touch p)]' ]",
    "printf -v 'a[$(touch p)]' x",
  ]
  assert.deepEqual(await reading(commands), [])
  const quoted = [
    "echo '$(touch p)'",
    "echo 'a; touch p'",
    'echo "a\\"; touch p; \\""',
    "grep -n 'a|b' f",
    "echo \\$\\(x\\)",
  ]
  assert.deepEqual(await reading(quoted), quoted)
})

test("PE-03 a redirect is a write, but to /dev/null", async () => {
  const writing = [
    "echo x > ~/.bashrc",
    "echo x >> .git/hooks/pre-commit",
    "ls 2> f",
    "cat a >| b",
    "echo x > /dev/tcp/h/1",
    "> file",
    "ls &> f",
    "ls >& f",
    "ls <> f",
    "cat < /dev/tcp/h/1",
    "ls > /dev/null > f",
    "ls > /dev/nullx",
    "ls >&3",
    "ls {fd}>/dev/null",
    "ls > $X",
    "(ls) > f",
    "ls &>/dev/null touch p",
    "ls&>>/dev/null touch p",
  ]
  assert.deepEqual(await reading(writing), [])
  const fine = ["ls 2>/dev/null", "ls > /dev/null 2>&1", "ls &>/dev/null", "ls >>/dev/null", "ls 1>&2"]
  assert.deepEqual(await reading(fine), fine)
})

test("PE-04 a reading program with a flag that writes or runs something is not reading", async () => {
  const commands = [
    "find . -name x -exec rm {} +",
    "find . -execdir sh -c x \\;",
    "find . -ok rm {} \\;",
    "find . -delete",
    "find . -fprint f",
    "find . -fls f",
    "find *",
    "sort -o f g",
    "sort -of g",
    "sort --output=f g",
    "sort --outp f g",
    "sort -no f g",
    "sort --compress-program=x f",
    "sort *",
    "uniq a b",
    "uniq a -c b",
    "sed -i s/a/b/ f",
    "sed -n 'w out' f",
    "sed -n '1,5w out' f",
    "sed 's/a/b/e' f",
    "sed 's/a/b/;e' f",
    "sed 's/a/b/ge' f",
    "sed 's/a/b/w out' f",
    "sed 's/a/b/;w out' f",
    "sed 's/[/]/;w out/' f",
    "sed 's/\\c/;w out/' f",
    "sed 's,a,b,;1e' f",
    "sed 'sxaxbxe' f",
    "sed 's/a/b\ntouch/' f",
    "git config edit",
    "git config list",
    "git config --list",
    "sed -n -e 1p -e 'w o' f",
    "sed 1e f",
    "sed -f script f",
    "sed 1p -e /etc/p",
    "git diff --output=f",
    "git diff --outp=f",
    "git log --ext-diff",
    "git log --format=%G?",
    "git branch -D x",
    "git branch x",
    "git branch -v x",
    "git tag x",
    "git tag -d x",
    "git remote set-url origin x",
    "git remote update",
    "git config --global alias.x '!sh'",
    "git config user.name x",
    "git stash",
    "git stash drop",
    "git worktree add x",
    "git reflog expire --all",
    "git symbolic-ref HEAD refs/heads/x",
    "git grep --open-files-in-pager=sh x",
    "git grep -Osh x",
    "git checkout .",
    "git fetch",
    "git cat-file --textconv HEAD:a",
    "git -p log",
    "tar --to-command=sh -xf a",
    "awk 'BEGIN{system(\"id\")}'",
    "awk '{print > \"f\"}' a",
    "awk '{print $1 > $2}' a",
    'awk \'{print "x" | "sh"}\' a',
    "awk '{print $1} {print > \"f\"}' a",
    "awk '/x/ {system(\"id\")}' a",
    "awk '{getline x < \"/etc/p\"; print x}' a",
    "awk '{print ENVIRON[\"KEY\"]}' a",
    "awk '@include \"x\"' a",
    "awk -f x a",
    "awk -F: -f x a",
    "awk -F -f x a",
    "awk -v x=1 '{print}' a",
    "awk -i inplace '{print}' a",
    "awk -- '{print}' a",
    'awk \'"\\" | "sh"\' a',
    'awk \'$1 > "f" {print | "sh"}\' a',
    "awk '/[/]/ {print}' a",
    "awk '{print}' a -f x",
    "gawk '{print}' a",
    "date -s 2020-01-01",
    "date 010100002020",
    "hostname x",
    "rg --pre sh x",
    "rg --hostname-bin sh x",
    "rg -z x",
    "grep -Rn x .",
    "find -L . -name x",
    "find . -follow -name x",
    "ls -LR .",
    "du -L .",
    "sha256sum -c list",
    "md5sum --check list",
    "tree -o f",
    "file -C -m x",
    "file -p a", // sets the times of what it reads
    "xxd -r a b",
    "xxd a b",
    "xxd -ps a b",
    "xxd -ac 5 a b",
    "xxd a*",
    "uniq a*",
    "git symbolic-ref r*/h*",
    "jq env a",
    "jq -n '$ ENV.KEY'",
    "jq -n '$ # \n ENV.KEY'",
    "jq -n '\"x\" | modulemeta'",
    "jq '$ENV.KEY' a",
    "jq 'import \"/x\" as $x; .' a",
    "ps auxe",
    "ps eww",
    "env",
    "printenv",
    "less a",
    "arch -x86_64 sh",
    "yarn --version",
    "./evil --version",
    "/bin/ls",
    "python -v",
    "ls -*",
    "sort $X",
  ]
  assert.deepEqual(await reading(commands), [])
})

test("PE-04 programs that run others never are reading", async () => {
  const runners = [
    "xargs rm",
    "ls | xargs cat",
    "env sh -c x",
    "nice ls",
    "timeout 5 ls",
    "watch ls",
    "sudo ls",
    "sh -c ls",
    "bash -c ls",
    "eval ls",
    "exec ls",
    ". ./x",
    "source x",
    "command ls",
    "builtin ls",
    "nohup ls",
    "time -p ls",
    "busybox ls",
    "find . | xargs ls",
  ]
  assert.deepEqual(await reading(runners), [])
})

test("R-138 the commands that people look around with are reading", async () => {
  const commands = [
    "ls -la src",
    "ls *.ts",
    "cat -n a b",
    "head -20 a",
    "head -n 20 a",
    "tail -n +5 a",
    "tail -c100 a",
    "wc -l src/*.ts",
    "grep -rn --include='*.ts' 'a|b' src",
    "grep -A3 -e x f",
    "egrep 'a|b' f",
    "rg -n -g '*.ts' 'foo bar' src",
    "rg --files -tjs",
    "find . -name '*.ts' -not -path './node_modules/*' -maxdepth 3",
    "find src \\( -name a -o -name b \\) -print",
    "git status --short",
    "git log --oneline -n 5 --author=x",
    "git log -5 -p -- src",
    "git diff HEAD~1 --stat",
    "git diff main...HEAD -- a",
    "git show HEAD:src/a.ts",
    "git show stash@{0}",
    "git branch -a",
    "git branch --show-current",
    "git branch --contains abc",
    "git tag -l 'v*'",
    "git remote -v",
    "git rev-parse --abbrev-ref HEAD",
    "git ls-files -m",
    "git blame -L 1,5 a",
    "git stash list",
    "git config --get user.name",
    "git config user.name",
    "git --no-pager log",
    "git grep -n x",
    "sed -n '1,50p' f",
    "sed -n -e 5p -e '/a/,/b/p' f",
    "sed '1d' f",
    "awk '{print $1}' f",
    "awk -F: '{ print $1, $NF }' f",
    "awk -F '\\t' '{print $2 \" \" $3}' f",
    "awk 'NR>=10 && NR<=20' f",
    "awk 'NR==1,/end/ {print FILENAME, FNR; }' f",
    "awk '/foo/' f",
    "awk '$3 ~ /x|y/ {print $0}' f",
    "awk 'length > 100' f",
    "ps aux | awk '$1 == \"root\" {print $2}'",
    "sed 's/^/  /' f",
    "sed -E 's#[^[:space:]/]+/(.*)#\\1#g;s|a|b|2p' f",
    "sed -n '/x/,$s/[0-9]*\\.//p' f",
    "sort -u -k2,2 f | uniq -c | sort -rn",
    "cut -d: -f1 f",
    "cat f | tr -d '\\r' | cut -d / -f 2",
    "diff -u a b",
    "jq -r '.scripts.env' package.json",
    "date +%F",
    "date -u",
    "ps aux",
    "ps -ef",
    "du -sh .",
    "df -h",
    "stat a",
    "file a",
    "[ -f a ] && echo yes",
    "test -d src || echo no",
    "which node",
    "command -v node",
    "type ls",
    "node --version",
    "python3 --version",
    "uname -a",
    'echo "exit: $?"',
    "printf '%s\\n' a",
    "echo *",
    "sha256sum a",
    "xxd -l 64 a",
    "xxd -ps a",
    "find . -name *.ts",
    "basename /a/b",
    "realpath a",
    "tree -L 2",
    "cd src && ls",
    "true",
  ]
  assert.deepEqual(await reading(commands), commands)
})

test("PE-05 what sets a variable before a command, or tells git what to run, is not reading", async () => {
  const commands = [
    "PATH=.:$PATH ls",
    "GIT_EXTERNAL_DIFF=./x git diff",
    "git -c core.pager=./x log",
    "git --exec-path=. log",
    "git --git-dir=x log",
    "LD_PRELOAD=./x.so ls",
    "env NAME=V ls",
    "alias ls='touch p'; ls",
    "export PATH=.; ls",
    "X=1",
    "a[0]=1 ls",
    "declare -x A=1",
  ]
  assert.deepEqual(await reading(commands), [])
})

test("what the parser does not understand is not reading", async () => {
  const commands = [
    "",
    "# nothing",
    'ls "',
    "ls )",
    "ls\rtouch p",
    "ls \x1b[A",
    "ls &&",
    "| ls",
    "ls ;; ls",
    `ls ${"a".repeat(30_000)}`,
  ]
  assert.deepEqual(await reading(commands), [])
})

test("every path that is named is read: `~`, `$HOME`, `cd` and `-C` are followed", async () => {
  assert.deepEqual(await reads(`cat ~/a "$HOME/b" ${braced("HOME")}/c $PWD/d`), [
    "/home/u/a",
    "/home/u/b",
    "/home/u/c",
    "/w/./d",
  ])
  assert.deepEqual(await reads("cat '~/a' \\~/b"), ["/w/~/a", "/w/~/b"])
  assert.deepEqual(await reads("cd sub && cat ../x"), ["/w/sub", "/w/sub/../x"])
  assert.deepEqual(await reads("cd /etc && cd .. && ls x"), ["/etc", "/etc/..", "/", "//x"])
  assert.deepEqual(await reads("cd && cat x"), ["/home/u", "/home/u/x"])
  assert.deepEqual(await reads("(cd /etc && ls); cat x"), ["/etc", "/w/x"])
  assert.deepEqual(await reads("cd /etc | cat x"), ["/etc", "/w/x"])
  assert.deepEqual(await reads("git -C ../o -C p diff -- a"), ["/w/../o", "/w/../o/p", "/w/../o/p/a"])
  assert.deepEqual(await reads("git -C ~/o log"), ["/home/u/o"])
  assert.deepEqual(await reads("grep -f /etc/p x"), ["/etc/p", "/w/x"])
  assert.deepEqual(await reads("grep /etc/p x"), ["/w/x"])
  assert.deepEqual(await reads("rg --files /etc"), ["/etc"])
  assert.deepEqual(await reads("find /etc ~ -newer /var/x"), ["/etc", "/home/u", "/var/x"])
  assert.deepEqual(await reads("sed -n 1p /etc/p"), ["/etc/p"])
  assert.deepEqual(await reads("[ -f /etc/p ]"), ["/etc/p"])
  assert.deepEqual(await reads("jq . /etc/p"), ["/etc/p"])
  assert.deepEqual(await reads("realpath --relative-to=/etc a"), ["/etc", "/w/a"])
})

test("a `cd` that may have failed leaves both folders open", async () => {
  assert.deepEqual(await reads("cd /etc; cat x"), ["/etc", "/etc/x", "/w/x"])
  assert.deepEqual(await reads("cd /etc || cat x"), ["/etc", "/w/x"])
})

test("a flag's value that may be one more file counts as one", async () => {
  assert.deepEqual(await reads("cut -f1 a -d /etc/p"), ["/etc/p", "/w/a"])
})

test("a glob reads the folder in which it begins, and one that may lead out of it can't be told", async () => {
  assert.deepEqual(await reads("cat src/*.ts ~/.ss*/id"), ["/w/src/", "/home/u/"])
  assert.deepEqual(await reads("cat /etc/[ab]*"), ["/etc/"])
  assert.deepEqual(await reads("cat */../../x"), ["? */../../x"])
  assert.deepEqual(await reads("cat .*/x"), ["? .*/x"])
})

test("PE-02 what bash makes other words of, and what programs take for words of a file, is not reading", async () => {
  const commands = [
    "cat a=~/.ssh/id_rsa",
    "cat a=b:~/x",
    "ls x[1]=~",
    "strings @list",
    "strings *",
    "git -C sub diff --no-index a *",
    "grep --directories=recurse x .",
  ]
  assert.deepEqual(await reading(commands), [])
  const fine = ["cat 'a=~'", "cat a=b", "strings a/*", "grep x=1 ~/y"]
  assert.deepEqual(await reading(fine), fine)
})

test("PE-02 a word that goes on in the next line is not read as something else", async () => {
  const commands = [
    "cat $\\\nHOME/.ssh/id_rsa",
    "echo $\\\n(touch p)",
    "cat <\\\n(touch p)",
    "cat a\\\nb",
    "ls &\\\n& ls",
  ]
  assert.deepEqual(await reading(commands), [])
  const { names } = (await inspect("cp $\\\nHOME/.ssh/id_rsa x")) as { names: readonly string[] }
  assert.ok(names.includes("/home/u/.ssh/id_rsa"))
  assert.deepEqual(await reading(["grep -n \\\n  x a \\\n  | head"]), ["grep -n \\\n  x a \\\n  | head"])
})

test("PE-02 folders are compared without following the links in them", async () => {
  assert.deepEqual(await reading(["diff -r a b", "diff -ru a b", "diff -r -- a --no-dereference"]), [])
  const globs = async (command: string) => {
    const facts = await inspect(command)
    return facts.reading ? facts.globs.map(shownGlob) : undefined
  }
  assert.deepEqual(await globs("diff a b"), ["/w/a/*", "/w/b/*"])
  assert.deepEqual(await globs("diff --no-dereference -r a b"), [])
})

test("PE-05 of git commands it is said in which repositories they work", async () => {
  const repositories = async (command: string) => {
    const facts = await inspect(command)
    return facts.reading ? facts.repositories : undefined
  }
  assert.deepEqual(await repositories("git status; ls"), ["/w"])
  assert.deepEqual(await repositories("git -C sub -C deep log && cd x && git diff"), ["/w/sub/deep", "/w/x"])
  assert.deepEqual(await repositories("git -C /o status"), ["/o"])
})

test("PE-05 git tells no secrets of its settings, enters no submodule, and runs no alias", async () => {
  const commands = [
    "git config --get http.https://x.y/.extraheader",
    "git config --get-all github.token",
    "git config --get remote.origin.url",
    "git config remote.origin.url",
    "git diff --ignore-submodules=none",
    "git status --ignore-submodules=untracked",
    "git whatchanged",
  ]
  assert.deepEqual(await reading(commands), [])
})

test("a word that the text doesn't tell is not resolved", async () => {
  assert.deepEqual(await reads('cat "$FILE"'), ['? "$FILE"'])
  assert.deepEqual(await reads("ls ~root"), ["? ~root"])
  assert.deepEqual(await reads("cd $X && cat a && ls"), ["? $X", "? cat", "? a", "? ls"])
  assert.deepEqual(await reads("cd - && cat a"), ["/w/-", "? cat", "? a"])
  assert.deepEqual(await reads("echo $SECRET"), ["? $SECRET"])
  assert.deepEqual(await reads("echo $HOME $PATH $?"), [])
})

test("a home folder with blanks in its name is still one word, if it is quoted", async () => {
  const facts = async (command: string) => await inspectCommand(command, "/w", "/home/a b")
  const read = { reading: true, walks: [], globs: [], repositories: [] }
  assert.deepEqual(await facts('cat "$HOME/x" ~/y'), {
    ...read,
    reads: ["/w", "/home/a b/x", "/home/a b/y"],
    unresolved: [],
  })
  assert.deepEqual(await facts("cat $HOME/x"), { ...read, reads: ["/w"], unresolved: ["$HOME/x"] })
})

test("what reads all that is in a folder is told from what lists it", async () => {
  const walks = async (command: string) => {
    const facts = await inspect(command)
    return facts.reading ? facts.walks : undefined
  }
  assert.deepEqual(await walks("grep -r x ~"), ["/home/u"])
  assert.deepEqual(await walks("cd ~ && rg x"), ["/home/u"])
  assert.deepEqual(await walks("cat ~/*"), ["/home/u/"])
  assert.deepEqual(await walks("find ~ -name x"), [])
  assert.deepEqual(await walks("ls -R ~"), [])
})

test("of other commands it is said why, which programs they run, and which paths they seem to name", async () => {
  assert.deepEqual(await inspect("cp ~/.s''sh/id_rsa --to=/tmp/x && cat a"), {
    reading: false,
    why: "runs `cp`, which is not on the list of reading commands",
    programs: ["cp", "cat"],
    names: ["/w", "/w/a", "/w/cp", "/home/u/.s", "/w/sh/id_rsa", "/tmp/x", "/w/cat", "/home/u/.ssh/id_rsa"],
    rules: ["cp"],
  })
  assert.deepEqual(await inspect("for f in a; do rm $(cat .envrc); done"), {
    reading: false,
    why: "has a loop in it",
    programs: ["rm", "cat"],
    names: ["/w/for", "/w/f", "/w/in", "/w/a", "/w/do", "/w/rm", "/w/$", "/w/cat", "/w/.envrc", "/w/done"],
    rules: null,
  })
})

test("PE-01 PE-02 PE-03 a writing command, however it is wrapped in harmless words, is never taken for reading", async () => {
  const writing = fc.constantFrom(
    "touch p",
    "rm -rf x",
    "> p",
    "ls > p",
    "sort -o p a",
    "find . -delete",
    "X=1 ls",
    "sed -i 1d a",
    "tee p",
    "npm test",
    "git push",
    "sh -c 'touch p'",
    "\\rm x",
    "r''m x",
    "'touch' p",
  )
  const harmless = fc.constantFrom(
    "ls",
    "cat a b",
    "echo 'x; y'",
    'grep "a|b" f',
    "git status",
    "true",
    "cd src",
    'echo "it\'s"',
    "ls # note",
    'printf \'%s\' "a\\"b"',
  )
  const after = fc.constantFrom(
    "; ",
    " && ",
    " || ",
    " | ",
    " |& ",
    "\n",
    " & ",
    ";\n\n",
    " &&\n",
    " 2>&1 | ",
    " >/dev/null; ",
  )
  const around: fc.Arbitrary<[string, string]> = fc.constantFrom(
    ["", ""],
    ["(", ")"],
    ["{ ", "; }"],
    ["! ", ""],
    ["echo $(", ")"],
    ["echo `", "`"],
    ['echo "$(', ')"'],
    ["cat <(", ")"],
    ["", " 2>/dev/null"],
    ["( ( ", " ) )"],
    ["if true; then ", "; fi"],
    ["\\\n", ""],
  )
  const line = fc
    .tuple(
      fc.array(fc.tuple(harmless, after), { maxLength: 4 }),
      writing,
      fc.array(around, { maxLength: 3 }),
      fc.array(fc.tuple(after, harmless), { maxLength: 4 }),
    )
    .map(([before, command, arounds, behind]) => {
      const wrapped = arounds.reduce<string>((inner, [open, close]) => `${open}${inner}${close}`, command)
      // A comment before it would hide it.
      const start = before.map(([text, joint]) => (text.includes("#") ? `${text}\n` : text + joint)).join("")
      return start + wrapped + behind.map(([joint, text]) => joint + text).join("")
    })
  await fc.assert(
    fc.asyncProperty(line, async (command) => assert.deepEqual(await reading([command]), [])),
    { numRuns: 3000 },
  )
})

test("no text whatever takes long to be judged", async () => {
  const commands = [
    `sed '${"p\n\n\n\n   ".repeat(200)}X' f`,
    `sed 's/${"[a]*".repeat(500)}/${"\\1".repeat(500)}/X' f`,
    `awk '{print ${"1".repeat(5000)}x}' f`,
    `awk '{print ${"1 , ".repeat(2000)}}' f`,
    `awk '${"$1 == 1 && ".repeat(500)}x' f`,
    ...["(", "$(", '"$(', "{ ", "`", "<(", "! ", "((", "$((", "[[ ", "a && ", "if ", "cat <<E\n"].map((text) =>
      text.repeat(3000),
    ),
  ]
  assert.deepEqual(await reading(commands), [])
})

test("no text whatever is an error", async () => {
  const letters = fc.constantFrom(..."ab $`'\"\\(){}[]<>|&;#!~*?=\n\t-/.".split(""))
  await fc.assert(
    fc.asyncProperty(fc.array(letters, { maxLength: 30 }), async (text) => {
      assert.equal(typeof (await inspect(text.join(""))).reading, "boolean")
    }),
    { numRuns: 3000 },
  )
})
