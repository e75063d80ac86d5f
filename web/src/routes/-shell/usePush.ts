import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { pushUser } from '#web/push/remembered.ts'
import { pushKeyQuery } from '#web/queries/push.ts'

/** Makes the dashboard installable, which iPhones require for push, and keeps push on if the user has turned it on. */
export function usePush(userId: string | undefined): void {
  useEffect(() => {
    if (document.querySelector('link[rel=manifest]')) return
    document.head.append(
      Object.assign(document.createElement('link'), { rel: 'manifest', href: '/manifest.webmanifest' }),
    )
  }, [])
  const isOn = userId !== undefined && pushUser() === userId
  const publicKey = useQuery({ ...pushKeyQuery, enabled: isOn }).data?.publicKey
  useEffect(() => {
    // If this fails, messages stop, which the settings show; the page works regardless.
    if (isOn && publicKey)
      import('#web/push/device.ts').then((device) => device.keepPushOn(publicKey)).catch(() => undefined)
  }, [isOn, publicKey])
}
