import { describe, expect, test } from 'bun:test'
import { ToolFailure } from '../../../src/agents/tool.ts'
import { LIMIT_HEADERS } from '../../../src/contract/agent-limits.ts'
import { assertNoMisspeltLimit } from '../../../src/http/agent/misspelt-limit.ts'

function refused(name: string): ToolFailure {
  try {
    assertNoMisspeltLimit(['host', name, 'accept'])
  } catch (error) {
    if (error instanceof ToolFailure) return error
    throw error
  }
  throw new Error(`${name} is not refused`)
}

/** What proxies, content networks, clouds, browsers, tracers, clients of MCP and gateways of models send. */
const OF_OTHERS = `
  accept accept-encoding accept-language accept-charset authorization cache-control connection content-length content-type cookie
  date dnt expect expires forwarded from host if-match if-modified-since if-none-match if-range if-unmodified-since keep-alive
  last-event-id max-forwards origin pragma prefer priority proxy-authorization proxy-connection range referer save-data te
  trailer transfer-encoding upgrade upgrade-insecure-requests user-agent via warning http2-settings alt-used
  sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform sec-fetch-dest sec-fetch-mode sec-fetch-site sec-fetch-user sec-gpc
  access-control-request-headers access-control-request-method access-control-max-age access-control-allow-origin
  x-forwarded x-forwarded-for x-forwarded-host x-forwarded-port x-forwarded-prefix x-forwarded-proto x-forwarded-scheme
  x-forwarded-server x-forwarded-ssl x-forwarded-uri x-forwarded-method x-forwarded-by x-forwarded-client-cert x-forwarded-user
  x-forwarded-email x-forwarded-groups x-forwarded-access-token x-forwarded-preferred-username x-original-forwarded-for
  x-original-host x-original-method x-original-uri x-original-url x-original-proto x-rewrite-url x-real-ip x-real-port x-scheme
  x-client-ip x-cluster-client-ip x-remote-addr x-remote-ip x-remote-user x-proxyuser-ip x-host x-server-name x-proto x-ssl
  x-ssl-cipher x-ssl-client-cert x-ssl-client-verify x-url-scheme front-end-https x-arr-log-id x-arr-ssl x-site-deployment-id
  x-request-id x-request-start x-request-time x-request-timeout x-correlation-id x-trace-id x-span-id x-transaction-id
  x-queue-start x-start-time x-timestamp x-timer x-varnish x-served-by x-cache x-cache-key x-cache-hits x-via x-hops
  cf-connecting-ip cf-connecting-ipv6 cf-ipcountry cf-ray cf-visitor cf-worker cf-ew-via cf-warp-tag-id cdn-loop true-client-ip
  cf-access-client-id cf-access-client-secret cf-access-jwt-assertion cf-access-authenticated-user-email cf-pseudo-ipv4
  fastly-client-ip fastly-ff fastly-ssl fastly-temp-xff x-fastly-client x-akamai-edgescape x-akamai-request-id akamai-origin-hop
  x-amzn-trace-id x-amzn-requestid x-amzn-tls-version x-amzn-tls-cipher-suite x-amzn-oidc-data x-amzn-oidc-identity
  x-amzn-lambda-context x-amz-cf-id x-amz-date x-amz-expires x-amz-content-sha256 x-amz-security-token cloudfront-viewer-country
  cloudfront-is-mobile-viewer cloudfront-forwarded-proto x-cloud-trace-context x-goog-api-client x-goog-api-key
  x-goog-iap-jwt-assertion x-goog-authenticated-user-email x-appengine-country x-azure-clientip x-azure-fdid x-azure-ref
  x-azure-requestchain x-azure-socketip x-ms-client-principal x-ms-client-request-id x-ms-token-aad-access-token
  x-vercel-id x-vercel-forwarded-for x-vercel-ip-country x-vercel-deployment-url x-vercel-proxy-signature x-now-route-matches
  x-nf-client-connection-ip x-nf-request-id x-nf-account-id fly-client-ip fly-forwarded-port fly-region fly-request-id
  x-railway-request-id x-railway-edge do-connecting-ip rndr-id x-heroku-queue-depth x-heroku-queue-wait-time x-appgw-trace-id
  x-envoy-attempt-count x-envoy-decorator-operation x-envoy-expected-rq-timeout-ms x-envoy-external-address x-envoy-internal
  x-envoy-max-retries x-envoy-original-path x-envoy-peer-metadata x-envoy-retry-on x-envoy-upstream-rq-timeout-ms
  x-kong-request-id x-kong-proxy-latency x-consumer-id x-consumer-username x-credential-identifier x-anonymous-consumer
  x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset x-rate-limit-limit x-auth-request-user x-auth-request-email
  x-auth-token x-auth-user x-authentik-username x-pomerium-jwt-assertion x-webauth-user remote-user remote-email remote-groups
  tailscale-user-login tailscale-user-name ngrok-skip-browser-warning ngrok-auth-user-email x-tunnel-authorization
  traceparent tracestate baggage b3 x-b3-traceid x-b3-spanid x-b3-parentspanid x-b3-sampled x-b3-flags uber-trace-id
  x-datadog-trace-id x-datadog-parent-id x-datadog-sampling-priority x-datadog-origin newrelic x-newrelic-id sentry-trace
  x-honeycomb-trace x-ot-span-context x-dynatrace elastic-apm-traceparent grpc-timeout grpc-trace-bin
  mcp-protocol-version mcp-session-id mcp-method mcp-name mcp-param-symbol x-mcp-client x-mcp-auth x-mcp-header
  x-mcp-proxy-auth x-custom-auth-headers x-inspector-proxy x-api-key x-api-version api-key x-client-name x-client-version
  x-client-id x-client-data x-app-version x-app-id x-device-id x-platform x-user-agent x-user-id x-org-id x-tenant-id
  x-workspace-id x-project-id x-team-id x-session-id x-session-affinity x-conversation-id x-chat-id x-thread-id x-run-id
  x-agent-id x-agent-name x-agent-token x-agent-run-id x-model x-service-name x-service-token x-service-version
  x-stainless-arch x-stainless-lang x-stainless-os x-stainless-package-version x-stainless-read-timeout
  x-stainless-retry-count x-stainless-runtime x-stainless-timeout x-stainless-helper-method anthropic-version anthropic-beta
  openai-organization openai-project openai-beta openai-conversation-id x-openai-client-user-agent x-portkey-api-key
  x-portkey-config x-litellm-api-key x-litellm-timeout helicone-auth helicone-user-id cf-aig-authorization cf-aig-max-attempts
  x-librechat-user x-openwebui-user-name x-goog-user-project x-github-token x-vscode-version x-cursor-checksum
  x-max-age x-max-tokens x-max-retries x-max-results x-max-wait x-max-errors x-max-depth x-max-size x-max-rows
  x-max-attempts x-max-duration x-max-concurrency x-max-connections x-max-redirects x-max-requests-per-minute x-max-body-size
  x-read-timeout x-read-consistency x-read-replica x-read-preference x-readable-name x-reduced-motion x-reduce-data
  x-expires x-expires-in x-expiry x-expiration x-allowed-hosts x-allowed-methods x-allowed-origins x-allowed-tools
  x-approved-by x-approver x-once x-only-if x-idempotency-key idempotency-key x-payment x-payment-response payment-signature
  x-xsrf-token x-csrf-token x-csrftoken x-requested-with x-http-method-override x-method-override x-do-not-track x-att-deviceid
  x-wap-profile x-uidh x-frame-options x-content-type-options x-dns-prefetch-control x-robots-tag x-pingback x-hub-signature
  x-github-event x-gitlab-token x-slack-signature x-shopify-topic x-forwarded-account x-account-id x-trading-key
  x-account-name x-trading-mode x-order-id x-client-order-id x-symbols x-leverage x-usdc-balance
`
  .trim()
  .split(/\s+/)

describe('a header that is clearly a misspelt limit', () => {
  test.each([
    ['x-max-ordr-usdc', 'x-max-order-usdc'],
    ['x-max-order-usd', 'x-max-order-usdc'],
    ['x-max-order', 'x-max-order-usdc'],
    ['x-max-order-eur', 'x-max-order-usdc'],
    ['x-max-order_usdc', 'x-max-order-usdc'],
    ['x_max_order_usdc', 'x-max-order-usdc'],
    ['x-maxorderusdc', 'x-max-order-usdc'],
    ['max-order-usdc', 'x-max-order-usdc'],
    ['service_max_order_usdc', 'x-max-order-usdc'],
    ['x-service-max-order-usdc', 'x-max-order-usdc'],
    ['prepd-agent-max-order-usdc', 'x-max-order-usdc'],
    ['x-max-trade-usdc', 'x-max-order-usdc'],
    ['x-daily-usdc', 'x-max-daily-usdc'],
    ['x-max-dialy-usdc', 'x-max-daily-usdc'],
    ['x-max-positon', 'x-max-position-usdc'],
    ['x-max-loss-percent', 'x-max-loss-usdc'],
    ['x-max-leverge', 'x-max-leverage'],
    ['x-max-orders', 'x-max-orders-per-minute'],
    ['x-max-orders-per-min', 'x-max-orders-per-minute'],
    ['x-allowed-symbol', 'x-allowed-symbols'],
    ['x-reduceonly', 'x-reduce-only'],
    ['x-read-olny', 'x-read-only'],
    ['x-readonly', 'x-read-only'],
    ['x-once-by-client-id', 'x-once-by-client-order-id'],
    ['x-approve-over-usdc', 'x-approve-above-usdc'],
    ['x-approve-change', 'x-approve-changes'],
    ['x-expire-at', 'x-expires-at'],
  ])('%s is refused, and names %s', (name, suggestion) => {
    const { code, message, meta } = refused(name)
    expect(code).toBe('invalid_request')
    expect(meta).toMatchObject({ parameter: name, reason: 'unknown_argument', suggestion })
    expect(message).toBe(`The header ${name} sets no limit; did you mean ${suggestion}?`)
  })

  test('with one letter left out, doubled or swapped is refused, whichever limit and letter', () => {
    for (const name of LIMIT_HEADERS) {
      for (let at = 2; at < name.length - 1; at += 1) {
        const [before, letter, next] = [name.slice(0, at), name.charAt(at), name.charAt(at + 1)]
        const rest = name.slice(at + 1)
        const words = [before + rest, before + letter + letter + rest]
        if (letter !== next) words.push(before + next + letter + rest.slice(1))
        for (const word of words) expect(refused(word).meta['suggestion']).toBe(name)
      }
    }
  })

  test('is no limit itself, and none of the headers that others send', () => {
    expect(OF_OTHERS.length).toBeGreaterThan(300)
    for (const name of [...LIMIT_HEADERS, ...OF_OTHERS])
      expect(() => assertNoMisspeltLimit([name])).not.toThrow()
  })

  test('is echoed no further than its beginning', () => {
    expect(refused(`x-max-order-${'a'.repeat(5000)}`).meta['parameter']).toHaveLength(48)
  })
})
