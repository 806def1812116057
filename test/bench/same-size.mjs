/** The smallest server in an executable of prepd's size: all of prepd is in it, and none of it is loaded. */
import './minimal.mjs'

if (process.argv.includes('--never')) await import('../../src/main.ts')
