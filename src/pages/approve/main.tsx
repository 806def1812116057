import { render } from 'preact'
import { startTheme } from '../common/theme.ts'
import { findWallets } from '../common/wallets.ts'
import { ApprovalApp } from './app.tsx'
import { startLooking } from './state.ts'

startTheme()
findWallets()
startLooking()

const root = document.getElementById('root')
if (root) render(<ApprovalApp />, root)
