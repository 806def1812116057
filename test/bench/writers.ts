/** `bun test/bench/writers.ts URL WRITES AT_ONCE` relays signed writes and prints their median in ms and their rate. */
import { latencies, percentile } from './measure.ts'
import { CALLS, signed } from './relay.ts'

const [url = '', ...numbers] = process.argv.slice(2)
const [each = 1, atOnce = 1] = numbers.map(Number)

const envelopes = Array.from({ length: each * atOnce }, (_, index) =>
  JSON.stringify(signed(CALLS.write(index))),
)
const startedMs = performance.now()
const waits = await Promise.all(
  Array.from({ length: atOnce }, (_, writer) =>
    latencies(each, (index) =>
      fetch(`${url}/api/prep/relay`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: envelopes[writer * each + index] ?? '',
      }),
    ),
  ),
)
const seconds = (performance.now() - startedMs) / 1000
const [p50, perSecond] = [percentile(waits.flat(), 0.5), envelopes.length / seconds]
console.log(JSON.stringify({ p50, perSecond }))
