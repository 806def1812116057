import { render } from 'preact'
import { startTheme } from '../common/theme.ts'
import { findWallets } from '../common/wallets.ts'
import { App } from './app.tsx'
import { startLooking } from './state.ts'

startTheme()
findWallets()
startLooking()

const root = document.getElementById('root')
if (root) render(<App />, root)
