const COLOURS = ['#1f6feb', '#d29922', '#2da44e', '#cf222e', '#8250df', '#57606a']

/** Value, drawdown in per cent, exposure. */
const CURVES = [
  (run) => run.value,
  (run) => {
    let top = Number.NEGATIVE_INFINITY
    return run.value.map((value) => {
      top = Math.max(top, value)
      return top > 0 ? (value / top - 1) * 100 : 0
    })
  },
  (run) => run.gross,
]

/** Month, day and time of the venue, UTC. */
const timeOf = (seconds) => new Date(seconds * 1000).toISOString().slice(5, 16).replace('T', ' ')

for (const place of document.querySelectorAll('.curve')) {
  const curve = CURVES[Number(place.dataset.curve)]
  const runs = AGENTS.flatMap(({ agent, runs }, at) => runs.map((run) => ({ agent, at, run })))
  const longest = runs.reduce((one, other) =>
    other.run.atMs.length > one.run.atMs.length ? other : one,
  )
  const series = runs.map(({ agent, at, run }, drawn) => ({
    label: `${agent}, seed ${run.seed}`,
    stroke: COLOURS[(AGENTS.length > 1 ? at : drawn) % COLOURS.length],
    width: 1,
  }))
  new uPlot(
    {
      width: Math.min(1100, document.body.clientWidth),
      height: 260,
      padding: [null, 40, null, null],
      series: [{ label: 'UTC', value: (_, at) => (at == null ? '--' : timeOf(at)) }, ...series],
      axes: [{ space: 100, values: (_, times) => times.map(timeOf) }, { size: 80 }],
      legend: { show: runs.length <= 12 },
    },
    [longest.run.atMs.map((ms) => ms / 1000), ...runs.map(({ run }) => curve(run))],
    place,
  )
}
