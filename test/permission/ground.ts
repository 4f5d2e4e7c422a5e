import type { Ground } from "../../src/permission/paths.ts"
import { FileError } from "../../src/runtime.ts"

/** What lies at a path: a folder, a text, or a link. */
export type Item = "folder" | { text: string } | { link: string }

/** A file system in memory. Folders above an item are there with it. */
export function filesWith(items: Readonly<Record<string, Item>>): Ground["files"] & { items: Map<string, Item> } {
  const all = new Map<string, Item>(Object.entries(items))
  const itemAt = (path: string): Item | undefined =>
    all.get(path) ?? ([...all.keys()].some((each) => each.startsWith(`${path}/`)) ? "folder" : undefined)
  const follow = (path: string, links = 10): Item | undefined => {
    const item = itemAt(path)
    return typeof item === "object" && "link" in item && links > 0 ? follow(item.link, links - 1) : item
  }
  return {
    items: all,
    async readLink(path) {
      const item = itemAt(path)
      if (item === undefined) throw new FileError("not_found", path)
      return typeof item === "object" && "link" in item ? item.link : undefined
    },
    async list(folder) {
      const below = [...all.keys()].filter((path) => path.startsWith(folder === "/" ? folder : `${folder}/`))
      const names = new Set(below.map((path) => path.slice(folder === "/" ? 1 : folder.length + 1).split("/")[0]!))
      return [...names].sort().map((name) => {
        const item = itemAt(`${folder === "/" ? "" : folder}/${name}`)
        const kind = typeof item !== "object" ? "folder" : "link" in item ? "link" : "file"
        return { name, kind }
      })
    },
    async readText(path) {
      const item = follow(path)
      if (typeof item !== "object" || !("text" in item)) throw new FileError("not_found", path)
      return item.text
    },
    async stat(path) {
      const item = follow(path)
      if (item === undefined) return undefined
      return { kind: item === "folder" ? "folder" : "file", size: 10, mode: 0o644, changed: 0 }
    },
  }
}

/** A workspace in `/w`, of a user at home in `/home/u`. */
export function groundWith(items: Readonly<Record<string, Item>> = {}, parts: Partial<Ground> = {}): Ground {
  return {
    files: filesWith({ "/w": "folder", "/home/u": "folder", "/etc": "folder", ...items }),
    os: "linux",
    home: "/home/u",
    kodaHome: "/home/u/.kodacli",
    roots: () => ["/w"],
    ours: () => ["/tmp/koda-1"],
    ...parts,
  }
}
