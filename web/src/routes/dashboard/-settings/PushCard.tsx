import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toast } from 'react-hot-toast/headless'
import { Button } from '#web/components/Button.tsx'
import { TitledCard } from '#web/components/Card.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { useAction } from '#web/lib/useAction.ts'
import { type PushState, pushState, subscriptionNow, turnPushOff, turnPushOn } from '#web/push/device.ts'
import { pushKeyQuery, sendTestPush } from '#web/queries/push.ts'

const words: Record<PushState | 'not_offered', ReactNode> = {
  not_offered: 'This server does not send push notifications.',
  unsupported: 'This browser does not support push notifications. Approval requests still come by email.',
  needs_home_screen:
    'On iPhone and iPad, add Bursar to the Home Screen first: Share, then Add to Home Screen. Open it from there and come back to this page.',
  blocked: 'Notifications are blocked for this site. Allow them in the browser’s site settings, then reload this page.',
  off: 'Get notified on this device when an agent asks for your approval. Agent and amount may show on the lock screen.',
  on: 'This device is notified when an agent asks for your approval.',
}

/** Push notifications on this device. */
export function PushCard({ userId }: { userId: string }) {
  const queryClient = useQueryClient()
  const key = useQuery(pushKeyQuery)
  const device = useQuery({ queryKey: ['push', 'device', userId], queryFn: () => pushState(userId), staleTime: 0 })
  const publicKey = key.data?.publicKey
  const state = publicKey === null ? 'not_offered' : device.data

  const acts = { on: () => turnPushOn(userId, publicKey!), off: turnPushOff, test }
  const action = useAction(
    async (act: keyof typeof acts) =>
      acts[act]().finally(() => queryClient.invalidateQueries({ queryKey: ['push', 'device'] })),
    { fallback: 'The browser’s push service did not respond. Please try again.' },
  )

  return (
    <TitledCard id="push" title="Push notifications">
      {key.error ? (
        <ErrorState error={key.error} onRetry={() => key.refetch()} />
      ) : !key.data || !state ? (
        <Skeleton className="h-16" />
      ) : (
        <>
          <p className="text-muted">{words[state]}</p>
          {action.problem && <ErrorBox className="mt-4">{action.problem}</ErrorBox>}
          {state === 'off' && publicKey && (
            <Button className="mt-4" busy={action.busy} onClick={() => action.start('on')}>
              Turn on
            </Button>
          )}
          {state === 'on' && (
            <div className="mt-4 flex flex-wrap gap-3">
              <Button
                look="secondary"
                busy={action.input === 'test'}
                disabled={action.busy}
                onClick={() => action.start('test')}
              >
                Send a test
              </Button>
              <Button
                look="quiet"
                busy={action.input === 'off'}
                disabled={action.busy}
                onClick={() => action.start('off')}
              >
                Turn off
              </Button>
            </div>
          )}
        </>
      )}
    </TitledCard>
  )
}

async function test(): Promise<void> {
  const { result } = await sendTestPush((await subscriptionNow())?.endpoint ?? '')
  if (result === 'accepted') toast.success('The push service accepted the test. It should arrive in a moment.')
  else if (result === 'gone') await turnPushOff()
  else throw new Error('The push service did not accept the message.')
}
