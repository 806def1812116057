/** Keys removed from every answer, at any depth, by exact name. */
// biome-ignore format: read as a list
export const REMOVED_KEYS: readonly string[] = [
  'broker_id', 'brokerId', 'broker_name', 'brokerName', 'dex_id', 'builder_id', 'builder_name',
  'vendor', 'provider',
]

/** Additional keys that are removed from public answers, but not from a user's own private rows. */
export const PUBLIC_REMOVED_KEYS: readonly string[] = ['broker_ids']

/** Members that are removed if they have the given value. The venue sends such a member with accepted orders. */
export const REMOVED_MEMBERS: Readonly<Record<string, string>> = { error_message: 'none' }

/** Keys that are renamed in answers. */
export const RENAMED_KEYS: Readonly<Record<string, string>> = {
  orderly_key: 'trading_key',
  orderlyKey: 'tradingKey',
}

/** Keys whose strings are not compared with names: identifiers, market names, calldata, texts of the caller. */
// biome-ignore format: read as a list
export const EXEMPT_KEYS: readonly string[] = [
  'symbol', 'base', 'quote', 'token', 'nativeSymbol', 'display_symbol_name', 'displaySymbolName',
  'address', 'to', 'from', 'data', 'signature', 'digest', 'txHash', 'hash', 'id', 'chainId',
  'code', 'bind_code', 'referral_code', 'referer_code', 'referral_codes', 'client_order_id',
  'clientOrderId', 'order_tag', 'tag',
  'tx_id', 'base-currency', 'currency', 'asset', 'fee_asset', 'margin_token', 'currency_symbol', 'signer',
]

/** Names of the venue. A sentence of the venue that contains one is not shown. */
// biome-ignore format: read as a list
export const VENUE_NAMES: readonly string[] = [
  'orderly', 'orderlynetwork', 'orderlyone', 'orderlyevm', 'woofi', 'woofipro', 'woofidex', 'woo',
  'woonetwork',
]

/**
 * Names of venues and routes. A string becomes empty if it equals a name after lower-casing and removal of all
 * characters except [a-z0-9].
 */
// biome-ignore format: read as a list
export const NAMES: readonly string[] = [
  ...VENUE_NAMES,
  'lifi', 'lifidexaggregator', 'lifiintents', 'lifuel', 'lifidiamond', 'jumper',
  'jumperexchange', 'lif3swap', 'acrossv2', 'acrossv3', 'acrossv4', 'acrossprotocol', 'allbridge',
  'allbridgecore', 'amarok', 'connext', 'everclear', 'anyswap', 'multichain', 'arbitrumbridge',
  'optimismbridge', 'polygonbridge', 'polygonbridgepos', 'avalanchebridge', 'gnosisbridge',
  'omnibridge', 'megaethgateway', 'celer', 'celerim', 'cbridge', 'celercbridge', 'celercircle',
  'celercirclefast', 'cctp', 'cctpv2', 'circlecctp', 'cctpceler', 'mayan', 'mayanfinance',
  'mayanswift', 'mayanwh', 'mayanmctp', 'mayanfastmctp', 'chainflip', 'debridge', 'debridgedln',
  'dln', 'gaszip', 'gaszipbridge', 'glacis', 'hopprotocol', 'hyphen', 'biconomy', 'layerswap',
  'layerzero', 'layerzeroscan', 'nearintents', '1click', 'oneclick', 'defuse', 'polymer',
  'polymerstandard', 'relaydepository', 'relaylink', 'reservoirrelay', 'relayprotocol',
  'squidrouter', 'axelar', 'axelarscan', 'coral', 'stargate', 'stargatev2', 'stargatev2bus',
  'stargatefinance', 'superset', 'supersetbridge', 'swapkit', 'symbiosis', 'thorswap',
  'thorchain', 'hyperliquidsa', 'hyperliquidnative', 'hyperliquidspotdex', 'wormhole',
  'wormholeportal', 'portalbridge', 'socket', 'sockettech', 'bungee', 'bungeeexchange',
  'openrouter', 'hyperlane', 'orbiter', 'orbiterfinance', 'owlto', 'rango', 'rubic', 'xyfinance',
  'routerprotocol', 'synapse', 'houdini', 'houdiniswap', '1inch', 'oneinch', '1inchfusion', '0x',
  '0xprotocol', 'zerox', 'zrx', 'matcha', 'paraswap', 'velora', 'odos', 'kyberswap', 'kyber',
  'openocean', 'okxdex', 'okxdexaggregator', 'sushiswap', 'sushi', 'uniswap', 'uniswapv2',
  'uniswapv3', 'uniswapv4', 'pancakeswap', 'cowswap', 'cowprotocol', 'bebop', 'dodo', 'dodoex',
  'enso', 'ensofinance', 'eisen', 'eisenfinance', 'gluex', 'magpie', 'flytrade', 'hyperbloom',
  'hyperflow', 'hyperflowcorewriter', 'hypertrade', 'kumbaya', 'kuru', 'liquidswap',
  'liquidlaunch', 'monorail', 'nexroute', 'nordstern', 'nordsternfinance', 'oogabooga',
  'oogaboogameta', 'superswap', 'bitgetswap', 'jupiterexchange', 'jupiteraggregator', 'raydium',
  'orca', 'cetus', 'bluefin', 'aftermath', 'dflow', 'propeller', 'pangolin', 'quickswap',
  'spookyswap', 'solarbeam', 'stellaswap', 'ubeswap', 'trisolaris', 'voltage', 'vvsfinance',
  'honeyswap', 'beamswap', 'cronaswap', 'airswap', 'balancer', 'curve', 'curvefinance',
  'aerodrome', 'velodrome', 'camelot', 'traderjoe', 'lfj', 'feecollection', 'composer',
]

/** Brand phrases, compared like `NAMES`. */
// biome-ignore format: read as a list
export const PHRASES: readonly string[] = [
  'poweredbyorderly', 'poweredbyorderlynetwork', 'builtonorderly', 'poweredbylifi',
  'poweredbyrelay', 'vialifi', 'viarelay', 'viasquid', 'viasocket', 'viabungee', 'viaacross',
  'viastargate', 'poweredbywoofi',
]

/**
 * Hosts of venues and routes. A URL's host or a bare host name matches if it is a listed host or a subdomain of a
 * listed host.
 */
// biome-ignore format: read as a list
export const HOSTS: readonly string[] = [
  'orderly.org', 'orderly.network', 'orderly.io', 'woofi.com', 'woo.org', 'woo.network', 'li.fi',
  'li.quest', 'jumper.exchange', 'jumper.xyz', 'lifinance.github.io', 'relay.link',
  'reservoir.tools', 'chaindefuser.com', 'near-intents.org', 'defuse.org', 'squidrouter.com',
  'axelarscan.io', 'axelar.network', 'axelar.dev', 'socket.tech', 'bungee.exchange', '0x.org',
  'matcha.xyz', 'debridge.finance', 'debridge.com', 'debridge.io', 'dln.trade', 'across.to',
  'stargate.finance', 'stargateprotocol.io', 'layerzeroscan.com', 'layerzero.network',
  'celer.network', 'hop.exchange', 'connext.network', 'everclear.org', 'allbridge.io',
  'mayan.finance', 'symbiosis.finance', 'chainflip.io', 'gas.zip', 'glacislabs.com',
  'polymerlabs.org', 'garden.finance', 'thorswap.finance', 'thorchain.org', 'swapkit.dev',
  'wormhole.com', 'wormholescan.io', 'portalbridge.com', 'layerswap.io', 'eco.com',
  'hyperunit.xyz', 'houdiniswap.com', 'synapseprotocol.com', 'orbiter.finance', 'rango.exchange',
  'rubic.exchange', '1inch.io', '1inch.com', '1inch.dev', 'paraswap.io', 'velora.xyz', 'odos.xyz',
  'kyberswap.com', 'kyber.network', 'openocean.finance', 'sushi.com', 'uniswap.org',
  'pancakeswap.finance', 'cow.fi', 'bebop.xyz', 'dodoex.io', 'enso.finance', 'enso.build',
  'eisenfinance.com', 'gluex.xyz', 'magpiefi.xyz', 'fly.trade', 'hyperbloom.xyz', 'hyperflow.fun',
  'ht.xyz', 'kuru.io', 'liqd.ag', 'monorail.xyz', 'nordstern.finance', 'oogabooga.io', 'jup.ag',
  'bridge.arbitrum.io', 'portal.polygon.technology', 'bridge.gnosischain.com',
  'app.hyperliquid.xyz',
]

/** Brands that can be a segment of a URL's path, such as an organisation on a code host. */
// biome-ignore format: read as a list
export const URL_PATH_BRANDS: readonly string[] = [
  'lifinance', 'squidrouter', '0xsquid', 'relayprotocol', 'reservoirprotocol', 'socketdottech',
  'debridge-finance', 'jumperexchange',
]
