import { existsSync } from 'node:fs'

/** What can be built besides the executable of this machine, each on demand by its name, and what compiles it. */
export const TARGETS: Readonly<Record<string, { readonly compile: Bun.Build.CompileTarget }>> = {
  'linux-x64': { compile: 'bun-linux-x64' },
  'linux-x64-musl': { compile: 'bun-linux-x64-musl' },
  'linux-arm64': { compile: 'bun-linux-arm64' },
  'linux-arm64-musl': { compile: 'bun-linux-arm64-musl' },
  'darwin-arm64': { compile: 'bun-darwin-arm64' },
  'darwin-x64': { compile: 'bun-darwin-x64' },
  'windows-x64': { compile: 'bun-windows-x64' },
}

/**
 * The target that this machine can start and try, the only one with bytecode, which halves the time to start but is made
 * by the engine that builds.
 */
export const HOST_TARGET = hostTarget()

function hostTarget(): string {
  const { platform, arch } = process
  const system = platform === 'win32' ? 'windows' : platform
  const isMusl = platform === 'linux' && existsSync('/etc/alpine-release')
  return `${system}-${arch}${isMusl ? '-musl' : ''}`
}
