/** As whom we log in to a server that knows us already. */
export interface OwnClient {
  readonly clientId: string
  readonly clientSecret?: string
}
