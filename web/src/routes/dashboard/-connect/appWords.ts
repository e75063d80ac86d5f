import type { CodeDestination, ConnectingApp } from '#web/queries/connections.ts'

/** Where an app lives, in a few words that it did not choose: 'claude.ai', 'A program on this computer'. */
export function placeOf({ app, destination }: { app: ConnectingApp; destination: CodeDestination }): string {
  switch (destination.type) {
    case 'website':
      return destination.host
    case 'loopback':
      return 'A program on this computer'
    case 'private_scheme':
      return `The program on this computer that opens ${destination.scheme}:// links`
    case 'device':
      return app.kind === 'command_line' ? 'Bursar’s command line' : 'Another device'
  }
}

/** Well-known makers: words that only they use, ordinary words that in an app's name mean them, and their sites. */
const makers = [
  { name: 'Claude', words: ['claude', 'anthropic'], ordinary: [], hosts: ['claude.ai', 'claude.com', 'anthropic.com'] },
  { name: 'ChatGPT', words: ['chatgpt', 'openai'], ordinary: ['codex'], hosts: ['chatgpt.com', 'openai.com'] },
  { name: 'Cursor', words: [], ordinary: ['cursor'], hosts: ['cursor.com', 'cursor.sh'] },
  {
    name: 'Microsoft',
    words: ['microsoft', 'vscode', 'visualstudio'],
    ordinary: ['copilot'],
    hosts: ['microsoft.com', 'visualstudio.com', 'vscode.dev', 'github.com', 'githubcopilot.com'],
  },
  { name: 'Google', words: ['google'], ordinary: ['gemini'], hosts: ['google.com'] },
]

/**
 * Why to doubt a website that asks, in sentences. Its host was checked; its name is its own choice, and its host may be
 * made to look like another. `ownHost` is Bursar's.
 */
export function doubtsAbout(app: ConnectingApp, destination: CodeDestination, ownHost: string): string[] {
  if (destination.type !== 'website') return []
  const { host } = destination
  const known = [...makers, { name: 'Bursar', words: ['bursar'], ordinary: [], hosts: [ownHost] }]
  const claimed = known.find(({ words, ordinary }) =>
    [...words, ...ordinary].some((word) => plain(app.name).includes(word)),
  )
  const resembled = known.find(({ words }) => words.some((word) => plain(host).includes(word)))
  const domain = host.replace(/:\d+$/, '')
  const isOf = (maker: { hosts: string[] }) => maker.hosts.some((own) => domain === own || domain.endsWith(`.${own}`))
  return [
    claimed && !isOf(claimed) && `It calls itself “${app.name}”, but ${host} does not belong to ${claimed.name}.`,
    resembled && resembled !== claimed && !isOf(resembled) && `${host} does not belong to ${resembled.name}.`,
    /(^|\.)xn--/.test(host) && 'Its address has letters from other alphabets, which can look like ordinary ones.',
  ].filter((doubt) => typeof doubt === 'string')
}

/** 'C1aude A.I.' → 'claudeai' */
const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll('0', 'o')
    .replaceAll(/[1|]/g, 'l')
    .replaceAll('3', 'e')
    .replaceAll('4', 'a')
    .replaceAll('5', 's')
    .replaceAll(/[^a-z]/g, '')
