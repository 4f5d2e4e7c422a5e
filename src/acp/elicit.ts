import * as v from "valibot"
import type { Peer } from "../jsonrpc/peer.ts"
import type { Field, Inquire, Inquiry, Reply } from "../tools/inquiry.ts"
import type { Client } from "./client.ts"
import { shownInput, textBlock } from "./content.ts"

/** Asks the user of one client: with a form where it has them, with buttons where the answer is one of a few. */
export function inquireThrough(peer: Peer, client: () => Client, sessionId: string): Inquire {
  return async (inquiry, signal) => {
    const ask = async (method: string, params: object, read: (answer: unknown) => Reply | undefined) => {
      try {
        return read(await peer.request(method, { sessionId, ...params }, signal))
      } catch {
        signal.throwIfAborted()
        return undefined // it can't after all
      }
    }
    if (client().elicits && !inquiry.buttons) return await ask("elicitation/create", formOf(inquiry), readForm)
    const [field, options] = buttonsOf(inquiry) ?? []
    if (!field || !options) return undefined
    return await ask("session/request_permission", { toolCall: cardOf(inquiry), options }, (answer) =>
      readChoice(answer, field, options),
    )
  }
}

function formOf({ call, message, fields }: Inquiry): object {
  return {
    mode: "form",
    toolCallId: call.id,
    message,
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(fields.map((field) => [field.key, property(field)])),
      required: fields.filter(({ optional }) => !optional).map(({ key }) => key),
    },
  }
}

function property({ title, choices, several }: Field): object {
  if (!choices) return { type: "string", title }
  if (several) return { type: "array", title, items: { type: "string", enum: choices } }
  return { type: "string", title, enum: choices }
}

const VALUE = v.union([v.string(), v.number(), v.boolean(), v.array(v.string())])
const FORM = v.looseObject({ action: v.string(), content: v.nullish(v.record(v.string(), v.unknown()), {}) })

function readForm(answer: unknown): Reply | undefined {
  const { success, output } = v.safeParse(FORM, answer)
  if (!success) return undefined
  if (output.action === "decline") return { type: "declined" }
  if (output.action !== "accept") return { type: "dismissed" }
  const values = Object.entries(output.content ?? {}).flatMap(([key, value]) => {
    const said = v.is(VALUE, value) ? [value].flat().join(", ").trim() : ""
    return said === "" ? [] : [[key, said] as const]
  })
  return { type: "answered", values: Object.fromEntries(values) }
}

interface Button {
  optionId: string
  name: string
  kind: string
}

/** One of each kind, as clients choose by it; the first and the last of a decision go by the specification's ids. */
const KINDS: Readonly<Record<number, readonly string[]>> = {
  2: ["allow_once", "reject_once"],
  3: ["allow_once", "allow_always", "reject_once"],
  4: ["allow_once", "allow_always", "reject_once", "reject_always"],
}

/** The one thing that must be said, if it is one of a few. */
function buttonsOf({ fields, buttons }: Inquiry): [Field, Button[]] | undefined {
  const [field, ...others] = fields.filter(({ optional }) => !optional)
  const kinds = KINDS[field?.choices?.length ?? 0]
  if (!field?.choices || field.several || others.length > 0 || !kinds) return undefined
  const ids = buttons ? ["proceed_once", "cancel"] : []
  const options = field.choices.map((name, at) => {
    return { optionId: ids[at] ?? `choice_${at + 1}`, name, kind: kinds[at] as string }
  })
  return [field, options]
}

function cardOf({ call, message, details, fields }: Inquiry): object {
  const choices = fields.flatMap(({ choices = [] }) => choices.map((choice) => `- ${choice}`))
  const text = details ?? [message, ...choices].join("\n")
  return {
    toolCallId: call.id,
    status: "pending",
    title: message,
    kind: "think",
    content: [{ type: "content", content: textBlock(text) }],
    rawInput: shownInput(call.input),
  }
}

const CHOICE = v.looseObject({
  outcome: v.looseObject({ outcome: v.string(), optionId: v.nullish(v.string()) }),
})

/** Some clients send an option's kind in place of its id. */
function readChoice(answer: unknown, field: Field, options: readonly Button[]): Reply | undefined {
  const { success, output } = v.safeParse(CHOICE, answer)
  if (!success) return undefined
  const { outcome, optionId } = output.outcome
  const chosen = options.find((option) => option.optionId === optionId || option.kind === optionId)
  if (outcome !== "selected" || !chosen) return { type: "dismissed" }
  return { type: "answered", values: { [field.key]: chosen.name } }
}
