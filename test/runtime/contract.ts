import { databaseContract } from "./database.contract.ts"
import { fetchContract } from "./fetch.contract.ts"
import { filesContract } from "./files.contract.ts"
import { networkContract } from "./network.contract.ts"
import { processesContract } from "./processes.contract.ts"
import { stdioContract } from "./stdio.contract.ts"
import type { Suite } from "./suite.ts"
import { survivorsContract } from "./survivors.contract.ts"
import { systemContract } from "./system.contract.ts"
import { watchContract } from "./watch.contract.ts"
import { writeContract } from "./write.contract.ts"

/** What every runtime must do alike: one test or more for each promise of src/runtime.ts. */
export function runtimeContract(suite: Suite): void {
  stdioContract(suite)
  systemContract(suite)
  filesContract(suite)
  writeContract(suite)
  watchContract(suite)
  processesContract(suite)
  survivorsContract(suite)
  fetchContract(suite)
  networkContract(suite)
  databaseContract(suite)
}
