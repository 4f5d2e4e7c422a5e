/** Milliseconds of a clock that all threads and processes of a machine share. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
