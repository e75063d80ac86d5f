import { actingFor } from '#web/lib/actingFor.ts'
import { plural } from '#web/lib/format.ts'
import { accountLabel } from '#web/lib/otherAccount.ts'
import type { Change, ChangeActor, EndedChanges } from '#web/queries/changes.ts'

const vias: Record<NonNullable<Change['via']>, string | null> = {
  dashboard: null,
  api: 'through the API',
  mcp: 'through MCP',
  claim_page: 'on the claim page',
  operator: null,
}

/** Whoever had the owner's session was signed in as the owner. */
export function actorName({ type, name }: ChangeActor): string {
  const acting = actingFor()
  const names: Record<ChangeActor['type'], string> = {
    owner: acting ? `Signed in as ${accountLabel(acting)}` : 'Signed in as you',
    member: name ?? 'A member',
    agent: name ?? 'An agent',
    operator: 'The operator',
    recipient: 'The recipient',
    bursar: 'Bursar',
    unknown: 'Not recorded',
  }
  return names[type]
}

/** 'Scout, through the API'. */
export const actorText = ({ by, via }: Pick<Change, 'by' | 'via'>): string =>
  [actorName(by), via && vias[via]].filter(Boolean).join(', ')

const list = new Intl.ListFormat('en')

/** '2 webhooks and 1 agent ended.' */
export function endedText(ended: EndedChanges): string {
  const parts = [
    [ended.webhooks, 'webhook'],
    [ended.agents, 'agent'],
    [ended.credentials, 'credential'],
    [ended.connections, 'connection'],
    [ended.permissions, 'permission'],
    [ended.people, 'invitation or membership', 'invitations and memberships'],
  ] as const
  const named = parts.filter(([count]) => count > 0).map(([count, name]) => plural(count, name))
  return named.length === 0 ? 'Nothing was left to end.' : `${list.format(named)} ended.`
}
