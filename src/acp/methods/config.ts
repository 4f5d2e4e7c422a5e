import * as v from "valibot"
import { MODES, modeNamed } from "../../instructions/modes.ts"
import type { RpcError } from "../../jsonrpc/message.ts"
import type { Dials } from "../../session/dials.ts"
import type { Session } from "../../session/session.ts"
import { meant } from "../../text/similar.ts"
import type { Call, Methods } from "../connection.ts"
import { configOptions, modelsState, POLICIES } from "../options.ts"
import { invalidParams, OF_SESSION, parse } from "../params.ts"
import { ofSession } from "./of-session.ts"

const SET_OPTION = v.looseObject({
  ...OF_SESSION.entries,
  configId: v.string(),
  value: v.union([v.string(), v.boolean()]),
})
const SET_MODE = v.looseObject({ ...OF_SESSION.entries, modeId: v.string() })
const SET_MODEL = v.looseObject({ ...OF_SESSION.entries, modelId: v.string() })
const SET_EFFORT = v.looseObject({ ...OF_SESSION.entries, effort: v.string() })

export const CONFIG_METHODS: Methods = {
  "session/set_config_option": async (call) => {
    const session = await ofSession(call)
    const { configId, value } = parse(SET_OPTION, call.params)
    await turn(call, session, dialOf(configId), String(value))
    return { configOptions: configOptions(session.dials, call.core.catalog.list()) }
  },

  "session/set_mode": async (call) => {
    await turn(call, await ofSession(call), "mode", parse(SET_MODE, call.params).modeId)
    return {}
  },

  "session/set_model": async (call) => {
    await turn(call, await ofSession(call), "model", parse(SET_MODEL, call.params).modelId)
    return {}
  },

  "session/set_reasoning_effort": async (call) => {
    const session = await ofSession(call)
    await turn(call, session, "efforts", parse(SET_EFFORT, call.params).effort)
    return { models: modelsState(session.dials, call.core.catalog.list()) }
  },
}

/** The options of a session, and the dial that each of them turns. */
const DIALS: Readonly<Record<string, keyof Dials>> = {
  models: "model",
  access_policy: "policy",
  mode: "mode",
  reasoning_effort: "efforts",
}

function dialOf(configId: string): keyof Dials {
  if (Object.hasOwn(DIALS, configId)) return DIALS[configId] as keyof Dials
  throw invalidParams(`configId: there is no option "${configId}"${meant(configId, Object.keys(DIALS))}`)
}

/** Turns one dial; every client hears of it once the answer has left. */
async function turn(call: Call, session: Session, dial: keyof Dials, value: string): Promise<void> {
  session.change(changeOf(call, session, dial, value))
  if (dial === "model") call.core.chosen.add(session)
  if (dial === "efforts") {
    await call.core.rememberEffort(session.dials.model, value).catch((error: Error) => {
      session.remark(`The reasoning effort "${value}" holds in this session alone: ${error.message}`)
    })
  }
  call.after(() => session.announce(dial))
}

/** The dial's new place; an unknown value turns nothing. */
function changeOf({ core }: Call, { dials }: Session, dial: keyof Dials, value: string): Partial<Dials> {
  const models = core.catalog.list()
  switch (dial) {
    case "model": {
      const ids = models.map(({ modelId }) => modelId)
      if (!ids.includes(value)) throw unknown("model", value, ids)
      return { model: value }
    }
    case "policy": {
      const policy = POLICIES.find((policy) => policy.value === value)
      if (!policy)
        throw unknown(
          "access policy",
          value,
          POLICIES.map((policy) => policy.value),
        )
      return { policy: policy.value }
    }
    case "mode": {
      const mode = modeNamed(value)
      if (!mode)
        throw unknown(
          "mode",
          value,
          MODES.map(({ id }) => id),
        )
      return { mode }
    }
    case "efforts": {
      const efforts = models.find(({ modelId }) => modelId === dials.model)?.reasoning?.supportedEfforts ?? []
      if (!efforts.includes(value)) throw unknown("reasoning effort", value, efforts)
      return { efforts: new Map([...dials.efforts, [dials.model, value]]) }
    }
  }
}

function unknown(what: string, value: string, known: readonly string[]): RpcError {
  return invalidParams(`there is no ${what} "${value}"${meant(value, known)}`)
}
