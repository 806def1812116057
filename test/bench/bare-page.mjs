/** What a page has to do at least: ask for the same, write a row for each market, and paint the candles. */
async function ask(path) {
  const response = await fetch(`/api/prep/${path}`)
  return Object(await response.json())
}

const painting = import('lightweight-charts')
const candles = ask('candles?symbol=PERP_ETH_USDC&interval=15m&limit=500')

const { markets } = await ask('markets')
for (const { symbol, mark_price } of markets) {
  const row = document.createElement('tr')
  row.textContent = `${symbol} ${mark_price}`
  document.querySelector('tbody')?.append(row)
}

const { createChart, CandlestickSeries } = await painting
const element = document.getElementById('chart')
if (element) {
  const series = createChart(element).addSeries(CandlestickSeries)
  const { rows } = await candles
  series.setData(
    rows.map((row) => ({
      time: Number(row['timestamp']) / 1000,
      ...{ open: Number(row['open']), high: Number(row['high']) },
      ...{ low: Number(row['low']), close: Number(row['close']) },
    })),
  )
}
