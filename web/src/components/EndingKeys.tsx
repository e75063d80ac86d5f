import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { namesText } from '#domain/namesText.ts'
import type { EndingKey } from '#schemas/overview.ts'
import { formatMoment } from '../lib/format.ts'
import { overviewQuery } from '../queries/overview.ts'
import { walletName } from '../queries/wallets.ts'
import { linkClass } from './Links.tsx'
import { May } from './May.tsx'
import { Notice } from './Notice.tsx'
import { useNow } from './Time.tsx'

/** Says which session keys end soon or have ended, and which agents stop with them, with a link to rotate each. */
export function EndingKeys() {
  const keys = useQuery(overviewQuery).data?.endingKeys ?? []
  const now = useNow()
  return keys.map((key) => (
    <Notice key={key.walletId} tone="warning" className="mb-4">
      The session key of {walletName(key)} {endText(key, now)}{' '}
      <May call="wallets.rotateSessionKey">
        <Link to="/dashboard/wallets" search={{ session: key.walletId }} className={linkClass}>
          Rotate
        </Link>
      </May>
    </Notice>
  ))
}

/** 'ends on Sat, Nov 28, 2026, 10:00 AM UTC. Buyer and Scout then can’t pay.' */
function endText({ endsAt, agents }: EndingKey, now: number): string {
  const hasEnded = Date.parse(endsAt) <= now
  const who = agents.length === 0 ? 'nothing is paid from it' : `${namesText(agents)} can’t pay`
  return hasEnded ? `has ended: ${who} until you rotate it.` : `ends on ${formatMoment(endsAt)}. After that, ${who}.`
}
