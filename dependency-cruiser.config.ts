/**
 * Rules on which folder may import which. `npm run check` fails on a violation; type imports count. For each violation,
 * scripts/checkImports.ts prints the rule's name and comment. docs/contributing.md shows the rules as a table.
 */
import type { ICruiseOptions, IForbiddenRuleType } from 'dependency-cruiser'

/** The outer layer of `worker`, which only its entry points, routes and services import. */
const useCases = '^worker/(app|scheduled|index)\\.ts$|^worker/(routes|services|middleware|mcp|openapi|pages|dev)/'
const objects = '^worker/(treasury|history|relayer|claims|webhooks|watch)/'

const pureChain =
  '^worker/chain/(addresses|announcedTerms|authorizationDigest|digests|ownerCalls|sign|transaction|types)\\.ts$'
/** Reading logs and other data of a node without viem. */
const readsChain = '^worker/chain/(readLogs|rpcClient|rpcResults)\\.ts$'

/**
 * The folders of the Treasury, by the room that each is in. Each may import those before it: first what every part builds on, then
 * the subjects, then what acts on several of them. What a lower folder needs from a higher one is passed in, or is a function in
 * core/context.ts that createContext.ts provides.
 */
export const treasuryFolders = [
  ...['core/storage', 'core', 'ledger', 'outbox', 'limits', 'wallets', 'wallets/relay', 'policies'],
  ...['payments/purchases', 'approvals', 'payments', 'runs', 'reports/changes', 'account/connections'],
  ...[
    'outbox/notices',
    'outbox/delivery',
    'settlement',
    'outbox/webhooks',
    'reports/review',
    'account/keys',
    'account',
  ],
  ...['reports', 'approvals/decisions', 'account/restore', 'account/operators'],
]

/**
 * How many of all pairs of folders in `worker/treasury` may know each other, with those that share a place in the list. With more,
 * the list predicts little about an import.
 */
export const maxShareOfPairs = 0.52

/** The files of a room that other rooms may import. Of a room that is not listed, all: its subject is to serve the others. */
export const openFiles: Record<string, string> = {
  account: '',
  approvals: 'approvalRules|ask|end|grants|notices|rpcTypes|views',
  outbox:
    'changes|enqueue|entries|events|reportedChanges|delivery/(desk|flush|history|recoverableRows|webhooks)|notices/changeWords|webhooks/(endpoints|rpc)',
  payments:
    'accept|cancel|check|month|movements|needs|pay|recipients|refusals|rpcTypes|screening|sign|slots|views|payouts/(codes|keys|transitions|views)|purchases/(offers|openSignatures|refill)',
  runs: 'create|end|notices|restored|rpc|turns',
  reports: 'changes/(agents|contacts|groups|pausing)',
  settlement: 'release|scan',
  wallets:
    'canSign|deploy|endingKeys|idleReads|importWallet|look|session|sessionKeys|snapshots|walletHalts|watching|actions/(actions|calls|follow|sessionChange)|relay/(jobs|submissions|submitJobs)',
}

/** Matches the files of a folder, but not those of a folder in it that is listed itself. */
const filesOf = (folder: string): string => {
  const inner = treasuryFolders.filter((other) => other.startsWith(`${folder}/`))
  return `^worker/treasury/${folder}/${inner.length === 0 ? '' : `(?!(${inner.map((path) => path.slice(folder.length + 1)).join('|')})/)`}`
}

/** Of our own code, `from` may import only `allowed` (and itself only if it is listed there). */
const imports = (name: string, comment: string, from: string, allowed: string): IForbiddenRuleType => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: ours, pathNot: allowed },
})
const ours = '^(worker|web|contracts|sdk|local|launch|scripts|tests)/'

export const rules: IForbiddenRuleType[] = [
  {
    name: 'no-cycles',
    comment: 'Cyclic modules are either one module or hide a third. Type imports count.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },

  // The worker, from the inside out.
  imports('domain', 'Rules import only each other.', '^worker/domain/', '^worker/domain/'),
  {
    name: 'domain-without-platform',
    comment:
      'Rules run in the Worker, in the browser and in tests: no Node modules, and no packages but hashes and IP addresses.',
    severity: 'error',
    from: { path: '^worker/domain/' },
    to: { dependencyTypes: ['core', 'npm', 'npm-dev'], pathNot: '^node_modules/(@noble/hashes|ipaddr.js)/' },
  },
  imports('schemas', 'The wire contract uses only rules and zod.', '^worker/schemas/', '^worker/(schemas|domain)/'),
  imports(
    'chain',
    'Encoding, signing and reading use only rules, and settings for the addresses of a network.',
    '^worker/chain/',
    '^worker/(chain|domain)/|^worker/settings\\.ts$',
  ),
  imports(
    'keyrings',
    'Versions of secrets need only settings.',
    '^worker/keyrings/',
    '^worker/keyrings/|^worker/settings\\.ts$',
  ),
  imports('durable', 'Alarms and migrations serve every object.', '^worker/durable/', '^worker/durable/'),
  imports('observability', 'Logging serves everything.', '^worker/observability/', '^worker/observability/'),
  imports('db', 'D1 queries import only rules and the wire contract.', '^worker/db/', '^worker/(db|schemas|domain)/'),
  imports(
    'stops',
    'What operators have stopped is read by objects and written by operators; it uses only rules, D1 and what all objects share.',
    '^worker/stops/',
    '^worker/(stops|domain|db|durable)/|^worker/bindings\\.ts$',
  ),
  imports(
    'messageCounts',
    'Messages to a recipient are counted for Treasuries; it needs only rules, and an HMAC for the name.',
    '^worker/messageCounts/',
    '^worker/(messageCounts|domain)/|^worker/identity/signed\\.ts$|^worker/bindings\\.ts$',
  ),
  {
    name: 'adapters-below-use-cases',
    comment: 'Adapters to outside services are called by use cases and objects, and call neither.',
    severity: 'error',
    from: { path: '^worker/(identity|notifications|onramp)/' },
    to: { path: `${useCases}|${objects}` },
  },
  {
    name: 'operations-below-use-cases',
    comment: 'Readiness, alerts and the operators’ access are used by routes and cron, and use none of them.',
    severity: 'error',
    from: { path: '^worker/(readiness|alerts|backup|ops)/' },
    to: { path: useCases },
  },
  {
    name: 'objects-below-use-cases',
    comment: 'A Durable Object is called by services and never calls back into them.',
    severity: 'error',
    from: { path: objects },
    to: { path: useCases },
  },
  {
    name: 'objects-through-their-api',
    comment:
      'Other folders import only the api.ts of an object, or the rpcTypes.ts of the Treasury. The entry exports the classes, env.ts names their types; tests may import anything.',
    severity: 'error',
    from: { path: '^(worker|web|contracts|local|launch|scripts)/', pathNot: `${objects}|^worker/(index|env)\\.ts$` },
    // The local chain funds the Relayer's accounts, whose addresses account.ts derives from the seed.
    to: { path: objects, pathNot: '/(api|rpcTypes)\\.ts$|^worker/relayer/account\\.ts$' },
  },
  {
    name: 'objects-know-each-others-api',
    comment:
      'An object imports only the api.ts of another; the Treasury also imports how a code is hashed for the ClaimDesk.',
    severity: 'error',
    from: { path: objects },
    to: { path: objects, pathNot: '^worker/$1/|/api\\.ts$|^worker/claims/codeHmac\\.ts$' },
  },
  ...treasuryFolders.map((folder, i) =>
    imports(
      `treasury-${folder}`,
      'A folder of the Treasury imports only those listed before it in `treasuryFolders`.',
      filesOf(folder),
      ['^worker/(?!treasury/)', ...treasuryFolders.slice(0, i + 1).map(filesOf)].join('|'),
    ),
  ),
  ...Object.entries(openFiles).map(
    ([room, open]): IForbiddenRuleType => ({
      name: `room-${room}`,
      comment: 'A room of the Treasury imports only those files of another that `openFiles` names.',
      severity: 'error',
      from: { path: '^worker/treasury/[^/]+/', pathNot: `^worker/treasury/${room}/` },
      to: { path: `^worker/treasury/${room}/`, pathNot: `^worker/treasury/${room}/(${open})\\.ts$` },
    }),
  ),
  {
    name: 'services-below-routes',
    comment: 'A use case does not know how it is reached.',
    severity: 'error',
    from: { path: '^worker/services/' },
    to: { path: '^worker/(app|scheduled|index)\\.ts$|^worker/(routes|middleware|mcp|openapi|pages|dev)/' },
  },
  {
    name: 'routes-are-leaves',
    comment: 'Only app.ts mounts routes.',
    severity: 'error',
    from: { pathNot: '^worker/(app\\.ts$|routes/)|^tests/' },
    to: { path: '^worker/routes/' },
  },
  imports(
    'worker-is-alone',
    'The Worker is deployed by itself. It shares the page of a claim link with Pages, which take files of their folder only.',
    '^worker/',
    '^worker/|^web/functions/claimPage\\.ts$',
  ),

  // The dashboard.
  imports(
    'web',
    'The browser shares rules, the wire contract and the pure parts of chain/ with the Worker.',
    '^web/src/',
    `^web/src/|^worker/(domain|schemas)/|${pureChain}|${readsChain}`,
  ),
  {
    name: 'web-has-no-zod',
    comment:
      'Of the wire contract, pages import types: zod probes for eval, which their content security policy reports.',
    severity: 'error',
    from: { path: '^web/src/' },
    to: { path: '^worker/schemas/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'web-asks-bursar',
    comment:
      'Only the recovery page reads the chain itself, and the page of money that a recipient keeps, if Bursar does not answer.',
    severity: 'error',
    from: { path: '^web/src/(?!recovery/|keptMoney/)' },
    to: { path: readsChain },
  },
  {
    name: 'web-routes-are-leaves',
    comment: 'Components, queries and helpers serve every page and import none.',
    severity: 'error',
    from: { path: '^web/src/(components|lib|lists|queries|push|recovery|wallet)/' },
    to: { path: '^web/src/(routes/|router\\.tsx|routeTree\\.gen\\.ts|main\\.tsx)' },
  },
  imports('web-lib', 'Helpers import no queries and no components.', '^web/src/lib/', '^web/src/lib/|^worker/'),
  imports('web-queries', 'Queries import no components.', '^web/src/queries/', '^web/src/(queries|lib)/|^worker/'),
  imports(
    'web-recovery',
    'The recovery page works without Bursar, so it uses nothing that calls the API.',
    '^web/src/recovery/',
    '^web/src/(recovery|lib)/|^web/src/keptMoney/(account|isOfferedHere|money|passkey|passkeyTexts)\\.ts$|^worker/',
  ),

  // Around the product.
  imports('contracts', 'The deployment imports only chain types.', '^contracts/', '^contracts/|^worker/chain/'),
  imports('sdk', 'The SDK is a package of its own, which knows only the published API.', '^sdk/', '^sdk/'),
  {
    name: 'sdk-through-its-entry',
    comment: 'What is not exported by the SDK is not for its users.',
    severity: 'error',
    from: { path: ours, pathNot: '^(sdk|tests)/' },
    to: { path: '^sdk/', pathNot: '^sdk/src/index\\.ts$' },
  },
  imports('local', 'The local stack serves launch, scripts and tests.', '^local/', '^(local|worker|contracts|sdk)/'),
  imports(
    'launch',
    'A launch uses parts of the local stack, and the rules by which the Worker checks its settings.',
    '^launch/',
    '^(launch|local|worker|contracts|sdk)/',
  ),
  imports(
    'scripts',
    'Scripts start the stack, build, and rotate the secrets of a launch; tests may use them.',
    '^scripts/',
    '^(scripts|launch|local|worker|contracts|web|sdk)/',
  ),
]

export const options: ICruiseOptions = {
  parser: 'swc', // keeps type imports and, unlike tsc, works with our version of TypeScript
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
}
