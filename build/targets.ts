export type Target = {
  readonly compile: Bun.Build.CompileTarget
  /**
   * Bytecode halves the time to start, but it is made by the engine that builds: only for targets that this machine
   * can start and try.
   */
  readonly bytecode: boolean
}

/** What can be built besides the executable of this machine, each on demand by its name. */
export const TARGETS: Readonly<Record<string, Target>> = {
  'linux-x64': { compile: 'bun-linux-x64', bytecode: false },
  'linux-x64-musl': { compile: 'bun-linux-x64-musl', bytecode: false },
  'linux-arm64': { compile: 'bun-linux-arm64', bytecode: false },
  'linux-arm64-musl': { compile: 'bun-linux-arm64-musl', bytecode: false },
  'darwin-arm64': { compile: 'bun-darwin-arm64', bytecode: false },
  'darwin-x64': { compile: 'bun-darwin-x64', bytecode: false },
  'windows-x64': { compile: 'bun-windows-x64', bytecode: false },
}
