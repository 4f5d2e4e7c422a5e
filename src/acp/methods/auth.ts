import * as v from "valibot"
import type { GatewayState } from "../../model/catalog.ts"
import type { Call, Methods } from "../connection.ts"
import { authRequired } from "../errors.ts"
import { invalidParams, parse } from "../params.ts"

const AUTHENTICATE = v.looseObject({ methodId: v.string() })

export const AUTH_METHODS: Methods = {
  authenticate: async (call) => {
    const { methodId } = parse(AUTHENTICATE, call.params)
    const { auth } = call.connection
    const running = signIn(call, methodId)
    auth.running = running
    try {
      await running
    } finally {
      if (auth.running === running) delete auth.running
    }
    return call.connection.client.dialect === "koda" ? null : {}
  },

  logout: async ({ core, connection }) => {
    await core.forgetKey()
    delete connection.auth.method
    return {}
  },
}

/** What was chosen is chosen also if it fails: no session is opened as if it had not been. */
async function signIn({ core, connection, signal }: Call, methodId: string): Promise<void> {
  switch (methodId) {
    case "without_auth":
      connection.auth.method = "without_auth"
      core.catalog.withoutGateway()
      return
    case "koda_auth":
    case "koda_login": {
      connection.auth.method = "koda_auth"
      const details = REFUSALS[await core.catalog.checkGateway(signal)]
      if (details) throw authRequired(details)
      return
    }
    default:
      throw invalidParams(`methodId: there is no way to sign in named "${methodId}"`)
  }
}

/** Why signing in failed. A gateway that can't be reached is none: its last list holds, and the next request tells. */
const REFUSALS: Readonly<Record<GatewayState, string | undefined>> = {
  ok: undefined,
  unreachable: undefined,
  no_key: "There is no key. Set KODA_API_KEY, or run `koda login`",
  no_address: "There is no gateway. Set KODA_BASE_URL to its address",
  refused: "The gateway refused the key. Set another KODA_API_KEY, or run `koda login`",
}
