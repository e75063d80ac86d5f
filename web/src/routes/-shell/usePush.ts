import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { pushUser } from '../../push/remembered.ts'
import { pushKeyQuery } from '../../queries/push.ts'

/** Makes the signed-in area installable, which iPhones need for push, and keeps push on where the user has it on. */
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
    // Without it messages stop, which the settings show; the page works all the same.
    if (isOn && publicKey)
      import('../../push/device.ts').then((device) => device.keepPushOn(publicKey)).catch(() => undefined)
  }, [isOn, publicKey])
}
