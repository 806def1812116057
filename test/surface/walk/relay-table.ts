/** No such path on the wire, although a caller may ask for them. */
export const UNKNOWN: readonly string[] = ['GET /v1/notification/inbox/{id}']

/** Paths that the wire does not have and the exchange answers as another one. */
export const TWINS: Readonly<Record<string, string>> = {
  'GET /v1/notification/inbox': 'GET /v1/notification/inbox/notifications',
}

/** Reads that trades and transfers do not change. */
export const SAME: readonly string[] = ['GET /v1/client/key_info']

/** Maps by market: an example names two of them. */
export const BY_MARKET = /\.(?:imr_factor|max_notional)\.PERP_[\w-]+ is too many$/

/** Lists that may be empty: no key is bound to addresses, and not every algo order has legs. */
export const EMPTY = /(?:ip_restriction_list|child_orders)$/

/** Where an answer may differ from the recorded one in its fields or their types, and why it may. */
// biome-ignore format: one difference a line
export const LAX: Readonly<Record<string, string>> = {
  'GET /v1/algo/order/{id} .activated_price is too many': 'of trailing stops',
  'GET /v1/algo/order/{id} .average_executed_price is too many': 'documented elsewhere, and missing in the example',
  'GET /v1/algo/order/{id} .callback_rate is too many': 'of trailing stops',
  'GET /v1/algo/order/{id} .callback_value is too many': 'of trailing stops',
  'GET /v1/algo/order/{id} .client_order_id is too many': 'it is how a client finds its order',
  'GET /v1/algo/order/{id} .extreme_price is too many': 'of trailing stops',
  'GET /v1/algo/order/{id} .order_tag is null, not string': 'null without a tag',
  'GET /v1/algo/order/{id} .price is too many': 'of the limit orders it places',
  'GET /v1/algo/order/{id} .reduce_only is too many': 'it was asked for',
  'GET /v1/algo/order/{id} .trigger_price is null, not number': 'a bracket has none',
  'GET /v1/algo/order/{id} .trigger_time is too many': 'documented elsewhere, and missing in the example',
  'GET /v1/algo/orders .rows[].activated_price is too many': 'of trailing stops',
  'GET /v1/algo/orders .rows[].average_executed_price is too many': 'documented elsewhere, and missing in the example',
  'GET /v1/algo/orders .rows[].callback_rate is too many': 'of trailing stops',
  'GET /v1/algo/orders .rows[].callback_value is too many': 'of trailing stops',
  'GET /v1/algo/orders .rows[].client_order_id is too many': 'it is how a client finds its order',
  'GET /v1/algo/orders .rows[].extreme_price is too many': 'of trailing stops',
  'GET /v1/algo/orders .rows[].order_tag is null, not string': 'null without a tag',
  'GET /v1/algo/orders .rows[].price is too many': 'of the limit orders it places',
  'GET /v1/algo/orders .rows[].reduce_only is too many': 'it was asked for',
  'GET /v1/algo/orders .rows[].trigger_price is null, not number': 'a bracket has none',
  'GET /v1/algo/orders .rows[].trigger_time is too many': 'documented elsewhere, and missing in the example',
  'GET /v1/client/info .free_collateral is too many': 'the specification of the surface names it',
  'GET /v1/client/info .maintenance_margin_ratio is too many': 'the specification of the surface names it',
  'GET /v1/client/info .margin_ratio is too many': 'the specification of the surface names it',
  'GET /v1/client/info .total_collateral_value is too many': 'the specification of the surface names it',
  'GET /v1/client/info .total_unsettled_pnl is too many': 'the specification of the surface names it',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.executed_price is missing': 'of fills alone',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.executed_quantity is missing': 'of fills alone',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.executed_timestamp is missing': 'of fills alone',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.liquidation_id is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.order_id is missing': 'of fills alone',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.settle_pnl_id is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.settled_amount is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.side is missing': 'of fills alone',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.symbol is missing': 'of fills alone',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.symbols is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.algo_order_id is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.algo_type is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.trigger_price is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.trigger_time is too many': 'what else is told has members of its own',
  'GET /v1/orders .rows[].client_order_id is string, not null': 'null unless the client gave one',
  'GET /v1/order/{id} .price is null, not number': 'null for a market order',
  'GET /v1/orders .rows[].price is null, not number': 'null for a market order',
  'GET /v1/referral/multi_level/referee_list .rows[].direct_traded is too many': 'documented beside it',
  'GET /v1/referral/multi_level/referee_list .rows[].indirect_traded is too many': 'documented beside it',
  'POST /v1/batch-order .rows[].error_message is missing': 'the wire says none of an order that it took',
  'POST /v1/batch-order .rows[].order_amount is too many': 'as in the answer to one order',
  'POST /v1/order .error_message is missing': 'the wire says none of an order that it took',
}
