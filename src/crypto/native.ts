/** The runtime's cryptography, loaded where it is first used: that takes milliseconds which no start waits for. */
export function nodeCrypto(): NodeCrypto {
  loaded ??= process.getBuiltinModule('node:crypto')
  return loaded
}

type NodeCrypto = typeof import('node:crypto')

let loaded: NodeCrypto | undefined
