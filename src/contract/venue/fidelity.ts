/** How closely the embedded venue follows a rule of the live venue. */
type Fidelity = 'modelled' | 'simplified' | 'unknown'

export const FIDELITIES: Readonly<Record<Fidelity, string>> = {
  modelled: 'as the live venue documents it',
  simplified: 'the outcome is of the same kind, by fewer steps',
  unknown: 'the live venue does not document it: this answer was chosen',
}

type FidelityRow = {
  readonly subject: string
  readonly rule: string
  readonly fidelity: Fidelity
  /** The embedded venue's behaviour, if it differs from the rule. */
  readonly how: string
  /** The file or folder of the source that implements the rule. */
  readonly where: string
  /** Wire paths and operation ids that the rule covers; a last * matches any ending. */
  readonly covers?: readonly string[]
}

/** Every rule of the live venue that a client can encounter, and how the embedded venue treats it. */
// biome-ignore format: one rule a row
export const FIDELITY: readonly FidelityRow[] = [
  // Wire
  { subject: 'wire', rule: 'Envelope of success and failure, codes and HTTP statuses', fidelity: 'modelled', how: '', where: 'src/simulator/messages/refusals.ts' },
  { subject: 'wire', rule: 'Signature of private calls, window of 300 s, key scopes and expiry', fidelity: 'modelled', how: 'A timestamp fresh by the wall\'s or the venue\'s clock passes.', where: 'src/simulator/server/gate.ts' },
  { subject: 'wire', rule: 'IP restrictions of keys', fidelity: 'simplified', how: 'They cannot be set: a key may be used from everywhere.', where: 'src/simulator/rest/client.ts' },
  { subject: 'wire', rule: 'Texts of refusals', fidelity: 'unknown', how: 'Those that were seen; else a sentence of our own with the documented code.', where: 'src/simulator/messages/refusals.ts' },
  { subject: 'wire', rule: 'Which check of an order comes first when it breaks several', fidelity: 'unknown', how: 'Parameters, price, size, value, distance from the mark, then market, account and margin.', where: 'src/simulator/orders/checks.ts' },
  { subject: 'wire', rule: 'Order of rows whose time is the same', fidelity: 'unknown', how: 'The newer number first.', where: 'src/simulator/rest/orders/' },
  { subject: 'wire', rule: 'Live topics, their beats, sequence of book changes, ping and authentication', fidelity: 'modelled', how: '', where: 'src/simulator/stream/topics.ts' },
  { subject: 'wire', rule: 'Treatment of a slow reader of live topics', fidelity: 'unknown', how: 'It is disconnected.', where: 'src/simulator/server/listener.ts' },
  { subject: 'wire', rule: 'Beat of best prices', fidelity: 'modelled', how: 'Every 10 ms while it has a subscriber.', where: 'src/simulator/stream/topics.ts' },
  { subject: 'wire', rule: 'Topics of liquidators and of converted assets', fidelity: 'simplified', how: 'Accepted, but never sent: the simulation lacks outside liquidators and conversions.', where: 'src/simulator/stream/account.ts' },
  // Limits and faults
  { subject: 'limits', rule: 'Rate of each call by key or address, 429 and -1003', fidelity: 'modelled', how: 'With VENUE_LIMITS=live, on the venue\'s clock.', where: 'src/contract/venue/rates.ts' },
  { subject: 'limits', rule: 'Shape of a rate window: rolling, fixed or refilled', fidelity: 'unknown', how: 'Rolling: what was used in the last period counts.', where: 'src/simulator/server/limits/window.ts' },
  { subject: 'limits', rule: 'Use of the order rate by a refused batch', fidelity: 'unknown', how: 'Nothing.', where: 'src/simulator/server/limits/limits.ts' },
  { subject: 'limits', rule: 'Rates of calls without a documented one', fidelity: 'unknown', how: 'Ten a second.', where: 'src/contract/venue/rates.ts' },
  { subject: 'limits', rule: 'Weights of the query interface, its headers and retry_after', fidelity: 'modelled', how: '', where: 'src/simulator/server/limits/limits.ts' },
  { subject: 'limits', rule: 'Answers in an outage or maintenance', fidelity: 'unknown', how: 'A reset, a balancer\'s page of 502 or 503, or 503 with code -1000.', where: 'src/contract/venue/faults.ts' },
  // Accounts
  { subject: 'accounts', rule: 'Registration by wallet, nonces of two minutes, account ids, one account a wallet and broker', fidelity: 'modelled', how: '', where: 'src/simulator/accounts/wallet.ts', covers: ['account.*'] },
  { subject: 'accounts', rule: 'Registering again', fidelity: 'unknown', how: '-1604.', where: 'src/simulator/accounts/accounts.ts' },
  { subject: 'accounts', rule: 'A key that has expired and is bound again', fidelity: 'unknown', how: 'It stays unusable.', where: 'src/simulator/accounts/accounts.ts' },
  { subject: 'accounts', rule: 'Smart-contract wallets and delegate signers', fidelity: 'simplified', how: 'Not offered.', where: 'src/simulator/accounts/wallet.ts' },
  { subject: 'accounts', rule: 'Account information, holdings, statistics, keys', fidelity: 'modelled', how: '', where: 'src/simulator/rest/client.ts', covers: ['/v1/client/info', '/v1/client/holding', '/v1/client/statistics', '/v1/client/key_info'] },
  { subject: 'accounts', rule: 'Sub-accounts', fidelity: 'modelled', how: 'A main account adds and lists them, and its keys speak for them.', where: 'src/simulator/rest/money/holdings.ts' },
  // Orders
  { subject: 'orders', rule: 'Price-time priority, LIMIT, IOC, FOK, POST_ONLY with adjustment, ASK and BID with levels', fidelity: 'modelled', how: '', where: 'src/simulator/book/walk.ts', covers: ['/v1/order*', '/v1/batch-order', '/v1/trade*'] },
  { subject: 'orders', rule: 'MARKET until filled, the book ends, price_range or slippage', fidelity: 'modelled', how: '', where: 'src/simulator/orders/place.ts' },
  { subject: 'orders', rule: 'Hidden quantity matches before the visible part and pays as a taker', fidelity: 'modelled', how: '', where: 'src/simulator/book/execute.ts' },
  { subject: 'orders', rule: 'order_amount', fidelity: 'unknown', how: 'Documented, but refused by the live venue; here it works for MARKET, ASK and BID.', where: 'src/simulator/orders/parse/order.ts' },
  { subject: 'orders', rule: 'A reduce-only order larger than the position', fidelity: 'unknown', how: 'Accepted; never fills beyond the position.', where: 'src/simulator/orders/place.ts' },
  { subject: 'orders', rule: 'Whether a reduce-only order is a pending quantity', fidelity: 'unknown', how: 'No. It also needs no margin.', where: 'src/simulator/orders/place.ts' },
  { subject: 'orders', rule: 'An order that would meet its own account', fidelity: 'unknown', how: 'The resting one is cancelled.', where: 'src/simulator/book/execute.ts' },
  { subject: 'orders', rule: 'Filters of price, size, value and distance from the mark', fidelity: 'modelled', how: 'The distance is from the mark, as the rule says, and not from the middle, as the refusal\'s text says.', where: 'src/simulator/orders/checks.ts' },
  { subject: 'orders', rule: 'Resting orders are cancelled when the mark leaves them outside price_range', fidelity: 'modelled', how: '', where: 'src/simulator/prices/mark.ts' },
  { subject: 'orders', rule: 'Place in the queue of an edited order', fidelity: 'unknown', how: 'Kept when the order just shrinks.', where: 'src/simulator/orders/edit.ts' },
  { subject: 'orders', rule: 'Retention: orders and trades of the past', fidelity: 'simplified', how: 'By count instead of days: about the latest 102,400 rows per account and list, such as orders, fills and funding payments. `dropped` in `meta` counts older ones. Of notifications the latest 500.', where: 'src/simulator/history/past-rows.ts' },
  { subject: 'orders', rule: 'STOP, TP_SL, POSITIONAL_TP_SL, BRACKET and TRAILING_STOP by the mark', fidelity: 'modelled', how: '', where: 'src/simulator/orders/conditional/', covers: ['/v1/algo/*'] },
  { subject: 'orders', rule: 'A bracket whose legs are for the position, where another such order stands', fidelity: 'unknown', how: 'Its legs replace one that waits, and are cancelled by one that was triggered.', where: 'src/simulator/orders/conditional/settle.ts' },
  { subject: 'orders', rule: 'Own orders of the other margin mode that an order meets', fidelity: 'unknown', how: 'They are cancelled, like own orders of the same mode.', where: 'src/simulator/book/walk.ts' },
  { subject: 'orders', rule: 'POSITIONAL_TP_SL of a market with a cross and an isolated position', fidelity: 'unknown', how: 'One per side and margin mode.', where: 'src/simulator/orders/conditional/place.ts' },
  { subject: 'orders', rule: 'Legs of a position that has closed', fidelity: 'unknown', how: 'POSITIONAL_TP_SL is cancelled. TP_SL, also of a bracket, stays until it is triggered or cancelled, and closes up to its quantity of the next position.', where: 'src/simulator/orders/conditional/settle.ts' },
  { subject: 'orders', rule: 'Adding a leg that TP_SL or POSITIONAL_TP_SL was placed without', fidelity: 'unknown', how: 'An edit changes legs by their ids. To add a leg, cancel the order, and place it with both.', where: 'src/simulator/orders/parse/algo-edit.ts' },
  { subject: 'orders', rule: 'A filled child cancels its sibling', fidelity: 'unknown', how: 'It does.', where: 'src/simulator/orders/conditional/' },
  // Positions and margin
  { subject: 'margin', rule: 'Positions, average entry, cost with fees and funding, unsettled and realised profit', fidelity: 'modelled', how: 'Integers; rounding goes to a named account.', where: 'src/simulator/margin/positions.ts', covers: ['/v1/position*'] },
  { subject: 'margin', rule: 'Initial and maintenance rates that grow with the notional, orders included', fidelity: 'modelled', how: '', where: 'src/simulator/state/margin-rates.ts' },
  { subject: 'margin', rule: 'Leverage per market and margin mode, its bounds and largest notional', fidelity: 'modelled', how: '', where: 'src/simulator/margin/settings.ts', covers: ['/v1/client/leverage*', 'markets.leverage', 'platform.leverageConfig'] },
  { subject: 'margin', rule: 'Cross and isolated margin, both at once in one market: positions, orders, funding, liquidation and history per mode', fidelity: 'modelled', how: '', where: 'src/simulator/margin/margin.ts', covers: ['/v1/client/margin_mode*', '/v1/position_margin'] },
  { subject: 'margin', rule: 'Largest notional of a market with a cross and an isolated position', fidelity: 'unknown', how: 'Each mode has its own, at its own leverage. max_notional is that of the default mode.', where: 'src/simulator/orders/checks.ts' },
  { subject: 'margin', rule: 'Margin mode in messages of the topic account about a changed leverage', fidelity: 'unknown', how: 'symbolLeverage has marginMode.', where: 'src/simulator/stream/account.ts' },
  { subject: 'margin', rule: 'open_margin_ratio and ratios with orders', fidelity: 'unknown', how: 'Collateral over the notional with orders.', where: 'src/simulator/rest/positions/margin-figures.ts' },
  { subject: 'margin', rule: 'Liquidation price of a cross position', fidelity: 'modelled', how: 'By the refinement of the public client library.', where: 'src/simulator/margin/liquidation-price.ts' },
  { subject: 'margin', rule: 'Other tokens as collateral, with weights that fall with size', fidelity: 'modelled', how: 'USDT and ETH.', where: 'src/simulator/exchange/tokens.ts', covers: ['platform.tokens'] },
  { subject: 'margin', rule: 'Fee rates by account and market, order_enum_fee', fidelity: 'modelled', how: '', where: 'src/simulator/state/accounts.ts' },
  { subject: 'margin', rule: 'Fee tiers by volume and staking', fidelity: 'simplified', how: 'Rates change by setting alone.', where: 'src/simulator/state/accounts.ts' },
  // Money
  { subject: 'money', rule: 'Settlement of unsettled profit, once in ten minutes, with counterparties', fidelity: 'modelled', how: '', where: 'src/simulator/rest/money/', covers: ['/v1/settle_*', '/v1/pnl_settlement/*'] },
  { subject: 'money', rule: 'Withdrawals, their nonce, codes and states', fidelity: 'simplified', how: 'States pass by the clock; there is no chain.', where: 'src/simulator/rest/money/', covers: ['/v1/withdraw_*', '/v1/asset/history', 'platform.vaultBalance', 'platform.chains'] },
  { subject: 'money', rule: 'Internal transfers', fidelity: 'modelled', how: '', where: 'src/simulator/rest/money/', covers: ['/v1/internal_transfer*'] },
  { subject: 'money', rule: 'Deposits', fidelity: 'simplified', how: 'A faucet credits them at once.', where: 'src/simulator/accounts/practice.ts' },
  { subject: 'money', rule: 'Which counterparties are settled, and how far', fidelity: 'unknown', how: 'Those with the largest opposite result, until theirs covers it.', where: 'src/simulator/ledger/' },
  { subject: 'money', rule: 'Code of a withdrawal above what the chain’s vault holds, without allowCrossChainWithdraw', fidelity: 'unknown', how: '28.', where: 'src/simulator/rest/money/withdrawals.ts' },
  { subject: 'money', rule: 'When the result of an isolated position becomes balance', fidelity: 'unknown', how: 'When it closes.', where: 'src/simulator/margin/positions.ts' },
  // Prices and funding
  { subject: 'prices', rule: 'Index: median and weights of spot sources', fidelity: 'simplified', how: 'One seeded or replayed price a market; the sources are named.', where: 'src/simulator/prices/index-price.ts', covers: ['markets.indexSources'] },
  { subject: 'prices', rule: 'Mark: median of funded index, index with average basis, and book, within its band', fidelity: 'modelled', how: '', where: 'src/simulator/prices/mark.ts' },
  { subject: 'prices', rule: 'Premium every 15 s at the impact notional, average, dampening and caps', fidelity: 'modelled', how: '', where: 'src/simulator/prices/funding.ts', covers: ['funding.*', '/v1/funding_fee/history'] },
  { subject: 'prices', rule: 'Interest of periods shorter than eight hours', fidelity: 'unknown', how: 'The eight-hour rate over their share of eight hours.', where: 'src/simulator/prices/funding.ts' },
  { subject: 'prices', rule: 'Candles, 24 h figures, tape and order book', fidelity: 'modelled', how: 'Before genesis from the seed; after it the trades themselves.', where: 'src/simulator/state/market-history.ts', covers: ['markets.*', 'charts.*'] },
  { subject: 'prices', rule: 'Other traders, with VENUE_TAPE', fidelity: 'simplified', how: 'Recorded books and trades of the tape, from the start of the world on. The index is the recorded one, or the last trade; mark and funding rate are the recorded ones, or follow from it. In gaps and after the end books are empty.', where: 'src/simulator/tape/play.ts' },
  { subject: 'prices', rule: 'Place in a recorded queue', fidelity: 'simplified', how: 'Behind what was there; less by trades, and by cancels before and behind in proportion. Recorded trades at worse prices fill it, up to their quantity.', where: 'src/simulator/tape/resting-fills.ts' },
  { subject: 'prices', rule: 'Impact of own orders on a recorded book', fidelity: 'simplified', how: 'The taken quantity is missing until the next recorded change of that book, which shows it again.', where: 'src/simulator/tape/play.ts' },
  { subject: 'prices', rule: 'Impact of own orders', fidelity: 'simplified', how: 'The quantity that an order takes is missing for seconds, and simulated makers learn from it. config/reference/market.md has its size by market and the cost of a round trip.', where: 'src/simulator/flow/makers.ts' },
  { subject: 'prices', rule: 'Other traders, with VENUE=paper', fidelity: 'simplified', how: 'The live books and trades, by the rules of a recorded queue; index, mark and funding rate are the live ones. While a book is unknown, its market is halted and its mark stays.', where: 'src/simulator/mirror.ts' },
  { subject: 'prices', rule: 'Funding of a period whose live rate was not seen, with VENUE=paper', fidelity: 'simplified', how: 'Charges nothing.', where: 'src/simulator/prices/funding.ts' },
  { subject: 'prices', rule: 'Other traders', fidelity: 'simplified', how: 'Makers, takers and arbitrageurs from the seed, as an order flow with the figures of a real one; with VENUE_ACTIVITY=sparse single agents who trade now and then.', where: 'src/simulator/flow/flow.ts' },
  // Markets
  { subject: 'markets', rule: 'States: POST_ONLY, ACTIVE, REDUCE_ONLY, DELISTING, DELISTED', fidelity: 'modelled', how: 'Changed by a word of the operator.', where: 'src/simulator/state/markets.ts' },
  { subject: 'markets', rule: 'Code of an order that a market\'s state refuses', fidelity: 'unknown', how: '-1012.', where: 'src/simulator/state/rejections.ts' },
  { subject: 'markets', rule: 'Price at which positions of a delisted market are closed', fidelity: 'unknown', how: 'The mark of that moment, without a fee.', where: 'src/simulator/state/markets.ts' },
  { subject: 'markets', rule: 'Markets listed by builders', fidelity: 'simplified', how: 'One, PERP_MOON_USDC of demo-x.', where: 'src/simulator/listing/instruments.ts' },
  { subject: 'markets', rule: 'global_max_oi_cap', fidelity: 'modelled', how: '', where: 'src/simulator/orders/checks.ts' },
  // Liquidation
  { subject: 'liquidation', rule: 'Trigger, take-over of positions by liquidators at the mark, fees and their split', fidelity: 'modelled', how: '', where: 'src/simulator/liquidation/takeover.ts', covers: ['liquidations.*', '/v1/liquidations'] },
  { subject: 'liquidation', rule: 'Low tier shrinks all positions, high tier one market at a time, small ones go whole', fidelity: 'modelled', how: '', where: 'src/simulator/liquidation/liquidate.ts' },
  { subject: 'liquidation', rule: 'Whether an isolated position is taken over in parts', fidelity: 'unknown', how: 'It goes as a whole.', where: 'src/simulator/liquidation/liquidate.ts' },
  { subject: 'liquidation', rule: 'Insurance fund, and ADL below its minimum ratio', fidelity: 'modelled', how: '', where: 'src/simulator/liquidation/takeover.ts', covers: ['platform.insuranceFund'] },
  { subject: 'liquidation', rule: 'Price of ADL, and the exact order of those it meets', fidelity: 'unknown', how: 'Where the liquidated account has nothing left; gain times leverage, the largest first.', where: 'src/simulator/liquidation/takeover.ts' },
  { subject: 'liquidation', rule: 'Stops, and orders of isolated margin, of an account whose cross positions are liquidated', fidelity: 'unknown', how: 'All its orders and stops are cancelled. The liquidation of an isolated position cancels those of its market and mode.', where: 'src/simulator/liquidation/liquidate.ts' },
  { subject: 'liquidation', rule: 'How liquidators bid', fidelity: 'simplified', how: 'The one with the most room takes all.', where: 'src/simulator/liquidation/takeover.ts' },
  // Figures and programs
  { subject: 'figures', rule: 'Volumes, TVL, open interest, traders\' leaderboard', fidelity: 'modelled', how: 'Users and agents alike.', where: 'src/simulator/rest/public/traders.ts', covers: ['/v1/volume/*', 'platform.tvl', 'platform.volume', 'builder.*'] },
  { subject: 'figures', rule: 'Whether a sub-account is a user of its builder', fidelity: 'unknown', how: 'It is not: its main account is.', where: 'src/simulator/rest/public/builders.ts' },
  { subject: 'figures', rule: '24 h figures of an account', fidelity: 'simplified', how: 'Of 1,440 whole minutes.', where: 'src/simulator/rest/client.ts' },
  { subject: 'figures', rule: 'Status and announcements', fidelity: 'simplified', how: 'Set by the operator.', where: 'src/simulator/rest/public.ts', covers: ['platform.status', 'platform.announcements*', 'platform.ipInfo'] },
  { subject: 'programs', rule: 'Referral codes, tiers of affiliates, rebates', fidelity: 'modelled', how: '', where: 'src/simulator/programs/affiliates/', covers: ['/v1/referral/*', 'referral.*'] },
  { subject: 'programs', rule: 'Distributions', fidelity: 'simplified', how: 'Rebates, once they are paid; fees of a builder stay with the venue.', where: 'src/simulator/programs/affiliates/rebates.ts' },
  { subject: 'programs', rule: 'Codes of referral refusals', fidelity: 'unknown', how: '-1005 with a sentence.', where: 'src/simulator/programs/affiliates/program.ts' },
  { subject: 'programs', rule: 'Formulas of points, merits and campaigns', fidelity: 'unknown', how: 'A point for each USDC traded and ten for each USDC of fees; campaigns by volume and profit, by UTC day; beside callers, seeded public accounts.', where: 'src/simulator/programs/', covers: ['rewards.*', 'campaigns.*'] },
  { subject: 'programs', rule: 'Staking and its redemptions', fidelity: 'simplified', how: 'Figures follow fees; nothing is staked on a chain.', where: 'src/simulator/programs/staking.ts', covers: ['staking.*'] },
  { subject: 'programs', rule: 'Signing up for a campaign', fidelity: 'simplified', how: 'The first trade does it.', where: 'src/simulator/programs/contests.ts' },
  { subject: 'programs', rule: 'Vesting and redeeming of staked tokens', fidelity: 'simplified', how: 'By themselves at the end of a week.', where: 'src/simulator/programs/staking.ts' },
  { subject: 'programs', rule: 'Price of the staked token', fidelity: 'simplified', how: 'Seeded; it is not traded.', where: 'src/simulator/programs/pools.ts' },
  { subject: 'programs', rule: 'Volume of a builder', fidelity: 'simplified', how: 'By hours of the clock.', where: 'src/simulator/rest/public/builders.ts' },
  { subject: 'vaults', rule: 'Strategy vaults', fidelity: 'simplified', how: 'Two, functions of seed and time with callers’ own stakes; periods pass by the clock.', where: 'src/simulator/vaults/', covers: ['vault.*'] },
  { subject: 'vaults', rule: 'NAV, positions, orders and trades of a vault', fidelity: 'simplified', how: 'Seeded, at the prices of the markets; not in the books. A position a market and week; an even volume.', where: 'src/simulator/rest/vaults/trading.ts' },
  { subject: 'vaults', rule: 'Shares, periods of 24 h, fees above the high-water mark, lock of a deposit', fidelity: 'modelled', how: '', where: 'src/simulator/vaults/' },
  { subject: 'vaults', rule: 'Gate on withdrawals, 10 % of a vault a period', fidelity: 'simplified', how: 'Published; every withdrawal passes.', where: 'src/simulator/vaults/' },
  { subject: 'vaults', rule: 'Deposits and claims of investors and providers on a chain', fidelity: 'simplified', how: 'Seeded wallets with one deposit each, without a chain and claims.', where: 'src/simulator/vaults/' },
  { subject: 'vaults', rule: 'Nonce of requests to a vault', fidelity: 'unknown', how: 'Time and a count; it can be spent for an hour.', where: 'src/simulator/rest/vaults/requests.ts' },
  { subject: 'vaults', rule: 'Unit of period_duration', fidelity: 'unknown', how: 'Hours.', where: 'src/simulator/rest/vaults/vaults.ts' },
  { subject: 'vaults', rule: 'Unit of min_withdrawal_amount', fidelity: 'unknown', how: 'Shares.', where: 'src/simulator/rest/vaults/vaults.ts' },
  { subject: 'vaults', rule: 'Meaning of tvl, lp_tvl and sp_tvl', fidelity: 'unknown', how: 'NAV, deposits that wait and payouts that are not claimed.', where: 'src/simulator/rest/vaults/vaults.ts' },
  { subject: 'vaults', rule: 'recovery_30d_apy', fidelity: 'unknown', how: 'Below the high-water mark, the growth since the lowest price of 30 days as if for a year; else 0.', where: 'src/simulator/rest/vaults/vaults.ts' },
  { subject: 'vaults', rule: 'valid_hpr', fidelity: 'unknown', how: 'How many daily returns of the last 30 days there are.', where: 'src/simulator/rest/vaults/vaults.ts' },
  { subject: 'vaults', rule: 'amount of a vault’s orders', fidelity: 'simplified', how: 'The value of the quantity, in every kind of order.', where: 'src/simulator/rest/vaults/trading.ts' },
  { subject: 'vaults', rule: 'Vaults of a builder', fidelity: 'simplified', how: 'Every builder is shown both.', where: 'src/simulator/rest/vaults/vaults.ts' },
  { subject: 'vaults', rule: 'Address of a vault’s contract', fidelity: 'simplified', how: 'The zero address.', where: 'src/simulator/rest/vaults/vaults.ts' },
  { subject: 'notifications', rule: 'Inbox of fills, triggers, liquidations, settlements, announcements', fidelity: 'modelled', how: '', where: 'src/simulator/rest/inbox.ts', covers: ['/v1/notification/*'] },
]
