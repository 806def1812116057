const COLOURS = ['#1f6feb', '#d29922', '#2da44e', '#cf222e', '#8250df', '#57606a']

/** Value, drawdown in per cent, exposure as a multiple of the value. */
const CURVES = [
  (run) => run.value,
  (run) => {
    let top = Number.NEGATIVE_INFINITY
    return run.value.map((value) => {
      top = Math.max(top, value)
      return top > 0 ? (value / top - 1) * 100 : 0
    })
  },
  (run) => run.gross.map((gross, at) => (run.value[at] > 0 ? gross / run.value[at] : 0)),
]

/** Text and lines as the page has them, in light or dark. */
const style = getComputedStyle(document.body)
const grid = { stroke: style.getPropertyValue('--line'), width: 1 }
const axis = { stroke: style.color, grid, ticks: grid }

/** Where two agents are compared, the curves of each have one colour. */
const isComparison = AGENTS.length > 1
const NARROW = 600
const isNarrow = document.body.clientWidth < NARROW

if (isComparison)
  for (const [at, { agent }] of AGENTS.entries()) {
    const key = document.createElement('p')
    key.textContent = agent
    key.style.borderLeft = `1em solid ${COLOURS[at]}`
    document.querySelector('.agents').append(key)
  }

/** Month, day and time of the venue, UTC. */
const timeOf = (seconds) => new Date(seconds * 1000).toISOString().slice(5, 16).replace('T', ' ')

for (const place of document.querySelectorAll('.curve')) {
  const curve = CURVES[Number(place.dataset.curve)]
  const runs = AGENTS.flatMap(({ agent, runs }, at) => runs.map((run) => ({ agent, at, run })))
  const longest = runs.reduce((one, other) =>
    other.run.atMs.length > one.run.atMs.length ? other : one,
  )
  const series = runs.map(({ agent, at, run }, drawn) => ({
    label: isComparison ? `${agent}, seed ${run.seed}` : `seed ${run.seed}`,
    stroke: COLOURS[(isComparison ? at : drawn) % COLOURS.length],
    width: 1,
  }))
  new uPlot(
    {
      width: Math.min(1100, document.body.clientWidth),
      height: 260,
      padding: [null, 40, null, null],
      series: [{ label: 'UTC', value: (_, at) => (at == null ? '--' : timeOf(at)) }, ...series],
      axes: [
        { ...axis, space: 100, values: (_, times) => times.map(timeOf) },
        { ...axis, size: 80 },
      ],
      legend: { show: runs.length <= 12 && !(isComparison && isNarrow) },
    },
    [longest.run.atMs.map((ms) => ms / 1000), ...runs.map(({ run }) => curve(run))],
    place,
  )
}
