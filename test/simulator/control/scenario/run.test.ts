import { describe, expect, test } from 'bun:test'
import { openStage } from './stage.ts'

const LINES = `
0s   crowd symbol=PERP_ETH_USDC side=BUY usdc=20000 leverage=20
90s  price shock symbol=PERP_ETH_USDC share=-5%
3m   book thin symbol=all share=20% for=5m
10m  price trend symbol=PERP_BTC_USDC share=2% for=10m   # and a remark
`

describe('a scenario', () => {
  // Slow: one scenario is run three times, each in a world of its own.
  test('gives the same world however far time steps, and whether or not the process was killed midway', async () => {
    const whole = openStage(LINES)
    await whole.pass(30)
    const small = openStage(LINES)
    await small.pass(30, 60)
    const killed = openStage(LINES)
    await killed.pass(4, 3)
    killed.restart()
    await killed.pass(26, 13)
    const hash = await whole.hash()
    expect(await small.hash()).toBe(hash)
    expect(await killed.hash()).toBe(hash)
    const logged = killed.logged.filter(({ event }) => event === 'scenario')
    expect(logged.map(({ line }) => line)).toEqual([2, 3, 4, 5])
  })

  test('acts at the times of its lines, not at those of the steps', async () => {
    const stage = openStage('90s price shock symbol=PERP_ETH_USDC share=-20%')
    const { index } = stage.market('PERP_ETH_USDC')
    await stage.pass(1)
    expect(stage.market('PERP_ETH_USDC').index / index).toBeGreaterThan(0.95)
    await stage.pass(60)
    const shocked = stage
      .world()
      .scenes.find(({ market }) => market.spec.symbol === 'PERP_ETH_USDC')
    const minute = shocked?.history.minutes.get(stage.world().beginsAtMs + 60_000)
    expect(minute?.low).toBeLessThan(index * 0.9)
  })

  test('tells everybody what its lines say, in quotes where there are spaces, once over a kill', async () => {
    const stage = openStage(`1m announce type=LISTING message="Funding = 8 h # or less" # "more"
2m maintenance on message=Soon`)
    const read = async (path: string) => {
      const request = { method: 'GET', path, headers: {}, body: '' } as const
      return JSON.parse(Object(await stage.venue().answer(request)).body).data
    }
    await stage.pass(1.5)
    stage.restart()
    await stage.pass(1)
    expect((await read('/v2/public/announcement')).rows).toMatchObject([
      { message: 'Funding = 8 h # or less', type: 'LISTING' },
      { announcement_id: '1' },
    ])
    expect(await read('/v1/public/system_info')).toMatchObject({ status: 2, msg: 'Soon' })
    expect(stage.logged.filter(({ event }) => event === 'scenario_failed')).toEqual([])
  })

  test('another scenario on the same store begins anew, and a word that fails is told and stops nothing', async () => {
    const stage = openStage(`0s liquidate account=0x${'1'.repeat(64)}\n1s faults clear`)
    await stage.pass(1)
    const logged = stage.logged.map(({ event, line }) => [event, line])
    expect(logged).toContainEqual(['scenario_failed', 1])
    expect(logged).toContainEqual(['scenario', 2])
  })
})
