/**
 * What the conformance suite runs as its client: it hands the scenario to the test, which has the real one, and ends when
 * that is done.
 */
import { connect } from "node:net"

const [port, url] = process.argv.slice(-2)
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env

const socket = connect(Number(port), "127.0.0.1")
socket.on("error", () => {}) // the test has ended
socket.write(`${JSON.stringify({ scenario, url, context: JSON.parse(context) })}\n`)
socket.resume()
