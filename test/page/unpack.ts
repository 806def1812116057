/** Unpacks the browser that npm brings, and tries it: page tests run side by side, and each would write the same file. */
import { openBrowser } from './browser.ts'

await (await openBrowser()).close()
