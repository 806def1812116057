/** The cause of a kind of log line, and the operator's next step (null: nothing to do). */
type LogEventRow = { readonly cause: string; readonly next: string | null }

/**
 * Every `event` of the log, in the order of the documents. Only the build of the documents reads the values.
 * @internal
 */
// biome-ignore format: one event a row
export const LOG_EVENTS = {
  // Start and stop.
  start: { cause: 'The server accepts requests. The line has its addresses, its version, and `venue`: `embedded`, `paper` or `live`.', next: null },
  stop: { cause: 'The server has finished its requests and ends.', next: null },
  reload: { cause: 'After SIGHUP, settings were read again. `settings` lists the changed ones, which are now in force.', next: null },
  restart_needed: { cause: 'After SIGHUP, the settings of the line have changed. They take effect only after a restart.', next: 'Restart prepd.' },
  reload_refused: { cause: 'After SIGHUP, a setting or a file was wrong. The previous settings stay in force.', next: 'Run `prepd --mode admin config check`, correct what it names, and send SIGHUP again.' },
  crash: { cause: 'A bug of prepd made a request fail; its answer was `internal`. `at` is the place in the program.', next: 'Report the line with its version. Other requests are not affected.' },
  fault: { cause: 'A bug of prepd made a timer or callback fail; it continued. `part` and `at` are the place.', next: 'Report the line with its version.' },
  uncaught: { cause: 'A bug of prepd ended the process with exit code 70. The systemd unit starts it again.', next: 'Report the line with its version.' },
  descriptors_exhausted: { cause: 'No file descriptor is free, so new connections wait. `busiest` is the network with the most connections.', next: 'Raise `LimitNOFILE`, or bound the connections per client in the proxy.' },
  descriptors_freed: { cause: 'File descriptors are free again.', next: null },
  housekeeping_failed: { cause: 'The periodic task `what` failed. It is tried again.', next: 'Look at the disk, and at `missing` on `/readyz`.' },
  log_lines_lost: { cause: 'The reader of stderr was too slow, and `lines` lines were dropped.', next: 'Look at the collector of the log.' },
  log_key: { cause: 'prepd made the key that turns account ids into the account tags of the log.', next: null },
  log_key_not_kept: { cause: 'The key of `log_key` could not be stored, so account tags change at the next start.', next: 'Give prepd the right to write `prepd.logkey` in the data directory.' },
  'agent.cannot_open': { cause: 'An agent over stdio could not open its data directory.', next: 'Read `reason`. Name a directory that this user may write.' },

  // Requests and callers.
  request: { cause: 'A request was answered. From status 500 on, the level is `warn`. With `oneIn`, the line stands for several requests.', next: null },
  proxy_not_trusted: { cause: 'A proxy that `PREPD_TRUSTED_PROXIES` does not name sends X-Forwarded-For. All its callers share the rate limits of `peer`.', next: 'Add its address to `PREPD_TRUSTED_PROXIES`.' },
  proof_failed: { cause: 'The store could not record that the venue accepted a key. Until it can, the key has the rate limit of unknown keys.', next: 'Look for `store_unavailable` in the log, and check the disk.' },
  agent_write: { cause: 'An agent’s tool made a write. The journal has the same line: `prepd --mode admin audit agents`.', next: null },
  operator_acted: { cause: 'An operator made the act `action` on the console. `prepd --mode admin audit list` lists all acts.', next: null },
  standby_ended: { cause: 'A standby cancel ended. If `lapsed`, it could not be sent in time, and `failure` is the reason.', next: 'If it lapsed, look at the open orders of the account at the venue.' },
  account_event_not_kept: { cause: 'The store could not keep an event for a webhook of a user, so the message is lost.', next: 'Look for `store_unavailable` in the log, and check the disk.' },
  webhook_not_delivered: { cause: 'A webhook of a user did not accept a message. The message is sent again later.', next: null },
  webhook_disabled: { cause: 'A webhook of a user accepted no message for three days, and was disabled.', next: 'Its owner deletes it and adds it again.' },
  webhook_secrets_encrypted: { cause: 'Secrets of webhooks were encrypted with the operator key.', next: null },

  // The store and its data directory.
  store_created: { cause: 'There was no store, so prepd made a new one. It does not send writes that were signed before.', next: 'If there should be a store, stop prepd, and mount or restore the store.' },
  store_upgraded: { cause: 'prepd has upgraded the store of an earlier version. `backup` is the copy of the earlier store.', next: 'Keep the copy until you trust the new version: [upgrading](upgrading.md).' },
  store_unavailable: { cause: 'A write was refused because it could not be recorded.', next: 'Look at the disk, its permissions, and `missing` on `/readyz`.' },
  records_lost: { cause: 'Records were lost. The store was restored, is missing although `prepd.mark` exists, or is in an earlier state.', next: 'Read [backups](backups.md), check freezes, mandates and webhooks, then run `prepd --mode admin loss confirm`.' },
  marks_not_kept: { cause: 'prepd could not write `prepd.mark`. A later loss of records may stay undetected.', next: 'Give prepd the right to write in the data directory.' },
  data_dir_open: { cause: 'Other users may read the data directory.', next: 'Run `chmod 700` on it.' },
  'cache.store_unreadable': { cause: 'A cached answer could not be read from the disk. It is loaded again.', next: 'Look at the disk if the line repeats.' },
  'cache.store_damaged': { cause: 'A cached answer does not match its checksum. It is loaded again.', next: 'Run `prepd --mode admin db check`.' },
  'cache.store_unwritable': { cause: 'A cached answer could not be written to the disk. It stays in memory.', next: 'Look at the free space of the disk.' },
  'cache.renewal_failed': { cause: 'A cached answer could not be renewed. prepd serves the old answer until it is too old.', next: 'Look for `upstream_failed`.' },

  // Backups.
  backup_made: { cause: 'A backup was made and read back.', next: null },
  backup_failed: { cause: 'A backup was not made. The next attempt is within an hour.', next: 'Read `reason`. `EACCES` or `EROFS`: the user that runs prepd may not write to the folder ([backups](backups.md#set-up-once)).' },
  backup_before_upgrade: { cause: 'prepd made a backup before it upgrades the store.', next: null },
  backup_before_upgrade_failed: { cause: 'The backup before an upgrade failed. The upgrade continues. A copy of the store stays in the data directory.', next: 'Read `reason`, and make a backup.' },

  // The venue.
  upstream_call: { cause: 'A call to the venue, at level `debug`.', next: null },
  upstream_failed: { cause: 'A call to the venue had no usable answer. `fault` is the reason; `sent` says whether the call may have arrived.', next: 'Look at the status of the venue, at DNS, and at outgoing connections.' },
  upstream_recovered: { cause: 'The venue answers again.', next: null },
  upstream_slow: { cause: 'A call to the venue was slow.', next: 'Compare with the status of the venue, and look at `prepd_venue_queued`.' },
  venue_changed: { cause: 'An answer of the venue has an unexpected field, or an expected field is missing.', next: 'Run `prepd --mode admin doctor venue`, and look for a newer release.' },
  venue_clock_skew: { cause: 'The clock of this machine and that of the venue differ by more than 30 seconds.', next: 'Run chrony or systemd-timesyncd.' },
  venue_clock_agrees: { cause: 'The clocks of this machine and of the venue agree again.', next: null },
  'operator.key_refused': { cause: 'The venue refuses the operator’s own trading key (`PREPD_AFFILIATE_…`).', next: 'Bind a new key: `prepd --mode admin rotate affiliate`.' },
  stream_lost: { cause: 'The connection to the venue’s live data ended. It is opened again with a growing delay.', next: 'Look at the status of the venue if the line repeats.' },
  stream_refused: { cause: 'The venue refused the subscription of a topic.', next: 'Look for a newer release if the line repeats.' },
  stream_reset: { cause: 'A topic of live data started again with a snapshot, because of a gap or a malformed message.', next: 'If `cause` is `unexpected`, report the line.' },
  stream_proof_not_kept: { cause: 'The store could not record that a live connection proved its key.', next: 'Look for `store_unavailable` in the log, and check the disk.' },

  // The simulated exchange.
  venue_fault: { cause: 'A bug of the simulated exchange made a call fail.', next: 'Report the line with its version.' },
  venue_ended: { cause: 'The thread of the simulated exchange ended. It is started again.', next: 'Report the line with its version.' },
  venue_restarted: { cause: 'The thread of the simulated exchange runs again, with the world of its file.', next: null },
  venue_down: { cause: 'The simulated exchange failed too often, and stays down until a restart.', next: 'Report the previous lines, and restart prepd.' },
  venue_world_refused: { cause: 'The file `venue.sqlite` holds a world that this version cannot continue.', next: 'Run `prepd --mode admin venue reset` to begin a new world, or go back to the previous version.' },
  venue_markets_kept: { cause: 'The world keeps its first markets. `PREPD_VENUE_MARKETS` names different ones.', next: 'Run `prepd --mode admin venue reset` to begin a world with the new markets.' },
  venue_activity_kept: { cause: 'The world keeps its first activity. `PREPD_VENUE_ACTIVITY` names a different one.', next: 'Run `prepd --mode admin venue reset` to begin a new world.' },
  venue_tape_kept: { cause: 'The world keeps its first tape. `PREPD_VENUE_TAPE` names a different one.', next: 'Run `prepd --mode admin venue reset` to begin a new world.' },
  prices_stand_still: { cause: '`PREPD_VENUE_PRICES` has no candles at this time for `still` markets. Their prices have not moved since the times of `stillSince`.', next: 'Give a file with candles of these markets and times, or set `PREPD_VENUE_PRICES=off`.' },
  scenario: { cause: 'A line of the scenario was run.', next: null },
  scenario_failed: { cause: 'A line of the scenario was refused. The other lines are run.', next: 'Correct the line of `PREPD_VENUE_SCENARIO`.' },
  live_books_known: { cause: 'Practice on a live market: the order books of these markets are known again.', next: null },
  live_books_lost: { cause: 'Practice on a live market: the order books of these markets are unknown. The markets accept no orders.', next: 'Look for `stream_lost` and `upstream_failed`.' },
  live_venue_away: { cause: 'Practice on a live market: the live venue did not answer at the start. prepd tries again.', next: 'Look at the status of the venue, at DNS, and at outgoing connections.' },

  // Several instances.
  engine_away: { cause: 'PostgreSQL or Valkey does not answer. Without PostgreSQL only cancels are sent. Without Valkey each instance has rate limits of its own.', next: 'Look at the server that `engine` names.' },
  engine_lost: { cause: 'The connection to PostgreSQL ended. It is opened again.', next: null },
  engine_found: { cause: 'PostgreSQL answers again.', next: null },
  engine_crowded: { cause: 'Calls found no free connection to PostgreSQL in time, and were refused as `store_unavailable`. `calls` counts them since the last such line. There is at most one line per minute.', next: 'Look for slow statements in PostgreSQL. If it allows more connections, raise `PREPD_POSTGRES_CONNECTIONS`.' },
  engine_back: { cause: 'Valkey answers again.', next: null },
  engine_fenced: { cause: 'This instance does not write to PostgreSQL or Valkey, because another instance uses, or may use, a different server.', next: 'Read `reasons` on `/readyz`. Let all instances use the same server.' },
  engine_clock_skew: { cause: 'The clock of PostgreSQL differs from that of this machine.', next: 'Run chrony or systemd-timesyncd on both.' },
  database_lost_commits: { cause: 'PostgreSQL is on a new timeline or has lost commits. prepd does not send writes that were signed before.', next: 'Read [backups](backups.md#with-postgresql).' },

  // TLS.
  tls_renewed: { cause: 'A new certificate is in use.', next: null },
  tls_refused: { cause: 'The new certificate or key cannot be used. The previous one stays in use.', next: 'Correct the files of `PREPD_TLS_CERT` and `PREPD_TLS_KEY`, then send SIGHUP.' },
  tls_expires_soon: { cause: 'The certificate ends within 14 days.', next: 'Renew it, then send SIGHUP.' },
  tls_expired: { cause: 'The certificate has ended. Clients refuse to connect.', next: 'Renew it now, then send SIGHUP.' },

  // Notices and traces.
  notice_delivered: { cause: 'A target of `PREPD_NOTIFY` accepted a notice.', next: null },
  notice_not_delivered: { cause: 'A target did not accept a notice. The notice is sent again later.', next: 'Run `prepd --mode admin notify test`.' },
  notice_given_up: { cause: 'A notice could not be delivered in time, and was dropped.', next: 'Run `prepd --mode admin notify test`, and correct the target.' },
  notices_not_kept: { cause: 'The store could not record a notice. prepd delivers it from memory.', next: 'Look for `store_unavailable` in the log, and check the disk.' },
  traces_failed: { cause: 'The collector of `OTEL_EXPORTER_OTLP_ENDPOINT` does not accept spans.', next: 'Look at the collector.' },
  traces_recovered: { cause: 'The collector accepts spans again.', next: null },

  // Swaps.
  'swap.quote_refused': { cause: 'prepd refused a quote of the swap provider. The line names the check. The user got no route.', next: 'If this repeats, report it to the provider.' },
  'swap.key_refused': { cause: 'The swap provider refuses its key.', next: 'Correct `PREPD_SWAP_KEY`.' },
  'swap.answer_malformed': { cause: 'In an answer of the swap provider, the field that the line names is missing or has another type.', next: 'Look for a newer release.' },
  'swap.routers_not_named': { cause: '`PREPD_SWAP_ROUTERS` is `none`, so a swap may call any contract by a known router function.', next: 'Name the routers in `PREPD_SWAP_ROUTERS`.' },

  // Vouchers.
  'voucher issued': { cause: 'A voucher was signed.', next: null },
  'voucher refused': { cause: 'No voucher was signed for a deposit. `reason` is the cause: a cap, lost vouchers, the chain, the store or the key.', next: 'Look at `prepd --mode admin voucher list`, and at the caps on the console.' },
  'voucher chain unsafe': { cause: 'The endpoints of a chain disagree on a deposit, or too few of them answer. prepd signs no voucher for it.', next: 'Compare the endpoints. A `disagreement` means that one of them is wrong.' },
  'voucher endpoint unusable': { cause: 'A chain endpoint gave no usable answer. prepd uses the other endpoints.', next: 'Look at the endpoint. With fewer endpoints than the quorum, no voucher is signed.' },
  'voucher store not adopted': { cause: 'The store may have lost vouchers, or it is new although the voucher key has been used before. prepd signs no vouchers.', next: 'Check first whether the key has signed vouchers that the store lacks. A new store does not count them: wait `validitySeconds` plus 24 hours after the last of them. Then run `prepd --mode admin voucher adopt`. A store that has noticed a loss waits by itself: add `--complete` if it has every voucher of the key.' },
  voucher_signer: { cause: 'prepd has loaded the signer of vouchers. `signer` is its address.', next: null },
  voucher_signer_away: { cause: 'A remote signer of vouchers does not sign.', next: 'Look at its machine, and at the expiry of the certificates.' },
  voucher_signer_back: { cause: 'The signer of vouchers signs again.', next: null },
  voucher_signer_conflict: { cause: 'Instances that share a database have different voucher keys, so this one signs nothing.', next: 'Give all instances the same key.' },
} as const satisfies Record<string, LogEventRow>

export type LogEvent = keyof typeof LOG_EVENTS
