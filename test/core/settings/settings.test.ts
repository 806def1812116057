import { afterAll, describe, expect, test } from 'bun:test'
import { POLICIES } from '../../../src/contract/limits.ts'
import { running, settingsFolder } from '../../settings-folder.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

describe('a setting', () => {
  test('has a default that is of its own kind', () => {
    const { settings } = running(folder.invoke([]))
    expect(settings).toMatchObject({
      listen: { host: '127.0.0.1', port: 8080 },
      opsListen: { host: '127.0.0.1', port: 8081 },
      dataDir: './data',
      venue: {
        at: 'embedded',
        vaults: 'embedded',
        seed: 1,
        clock: 'real',
        faucetMicros: 10_000_000_000n,
        listen: null,
      },
      operatorKeys: [],
      affiliate: null,
      referralRate: 0.1,
      points: false,
      swap: { at: 'embedded', key: null, integrator: null, routers: null },
      voucher: { path: null, keys: [] },
      allowedOrigins: '*',
      allowedHosts: ['localhost', '127.0.0.1', '[::1]'],
      log: { level: 'info', requestsPerSecond: 100, wholeCallers: false },
    })
    expect(settings.limits).toEqual(POLICIES)
  })

  test('without a default of its own follows the others', () => {
    const live = running(
      folder.invoke(['--venue', 'https://venue.example', '--listen', 'api.example:443']),
    )
    expect(live.settings.venue.vaults).toEqual(new URL('https://venue.example'))
    expect(live.settings.swap.at).toBeNull()
    expect(live.settings.allowedHosts).toEqual(['localhost', '127.0.0.1', '[::1]', 'api.example'])
    expect(live.entries.find(({ name }) => name === 'SWAP')).toMatchObject({
      text: 'off',
      origin: 'default',
    })
    const anywhere = running(folder.invoke(['--listen', '0.0.0.0:80']))
    expect(anywhere.settings.allowedHosts).toEqual(['localhost', '127.0.0.1', '[::1]'])
  })

  test('of routers is the set of them in lower case, and none is no restriction', () => {
    const routers = (text: string) =>
      running(folder.invoke(['--swap-routers', text])).settings.swap.routers
    const checksummed = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'
    expect(routers(`${checksummed}, ${checksummed.toLowerCase()}`)).toEqual(
      new Set([checksummed.toLowerCase()]),
    )
    expect(routers('none')).toBeNull()
  })

  test('that is a limit turned off is absent', () => {
    const { limits } = running(
      folder.invoke(['--limit-swap-quote', 'off', '--limit-read', '5/1s burst 2']),
    ).settings
    expect(limits).not.toHaveProperty('swap_quote')
    expect(limits.read).toEqual({ requests: 5, seconds: 1, burst: 2 })
  })
})
