import { CONSOLE_LIMITS, type ConsoleFigures } from '../../spec/console/figures.ts'
import { bytes, milliseconds, share } from './figures-text.ts'
import { samples } from './state.ts'
import { W } from './words.ts'

const PERIOD_SECONDS = CONSOLE_LIMITS.sampleEveryMs / 1000

/** The figures that are looked at first. */
export function Cards({ found }: { readonly found: ConsoleFigures }) {
  const [, requests = 0, failed = 0, p99 = 0, loop = 0] = samples.value.at(-1) ?? []
  const sum = (name: 'hits' | 'stale' | 'misses') =>
    found.operations.reduce((total, row) => total + row[name], 0)
  const kept = sum('hits') + sum('stale')
  return (
    <dl class="cards">
      <Card name={W.cards.rate} value={(requests / PERIOD_SECONDS).toFixed(1)} />
      <Card name={W.cards.failed} value={share(failed, requests)} isIll={failed > requests / 20} />
      <Card name={W.cards.p99} value={milliseconds(requests === 0 ? null : p99)} />
      <Card name={W.cards.hits} value={share(kept, kept + sum('misses'))} />
      <Card name={W.cards.upstream} value={milliseconds(found.upstream.p99Ms)} />
      <Card name={W.cards.loop} value={milliseconds(loop)} isIll={loop > 100} />
      <Card name={W.cards.memory} value={bytes(found.memory.residentBytes)} />
      <Card name={W.cards.store} value={bytes(found.store.fileBytes + found.store.logBytes)} />
    </dl>
  )
}

type CardProps = { readonly name: string; readonly value: string; readonly isIll?: boolean }

function Card({ name, value, isIll = false }: CardProps) {
  return (
    <div class="panel">
      <dt>{name}</dt>
      <dd class={isIll ? 'down' : ''}>{value}</dd>
    </div>
  )
}
