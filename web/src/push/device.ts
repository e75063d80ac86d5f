import { removePushSubscription, savePushSubscription } from '../queries/push.ts'
import { pushUser, rememberPush } from './pushUser.ts'

/** Push notifications on this device. Loaded on demand: with the settings, or for a user who has them turned on. */

export type PushState = 'unsupported' | 'needs_home_screen' | 'blocked' | 'off' | 'on'

/** iPhones and iPads offer push only to pages that were added to the Home Screen. */
const isApplePhone = () =>
  /iphone|ipad|ipod/i.test(navigator.userAgent) || (/mac/i.test(navigator.platform) && navigator.maxTouchPoints > 1)
const isInstalled = () => matchMedia('(display-mode: standalone)').matches

export async function pushState(userId: string): Promise<PushState> {
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return isApplePhone() && !isInstalled() ? 'needs_home_screen' : 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  return pushUser() === userId && (await subscriptionNow()) ? 'on' : 'off'
}

export async function subscriptionNow(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration('/dashboard')
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** Asks the user, subscribes, and registers with the server. Throws the browser's and the server's errors. */
export async function turnPushOn(userId: string, publicKey: string): Promise<PushState> {
  // Asked before anything is awaited: Safari requires a user gesture.
  const permission = await Notification.requestPermission()
  if (permission !== 'granted') return permission === 'denied' ? 'blocked' : 'off'
  await registerWorker()
  const { pushManager } = await navigator.serviceWorker.ready
  await savePushSubscription(await subscribe(pushManager, publicKey))
  rememberPush(userId)
  return 'on'
}

/** A subscription made with an earlier server key must be removed first. */
async function subscribe(pushManager: PushManager, publicKey: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  try {
    return await pushManager.subscribe(options)
  } catch (error) {
    const earlier = await pushManager.getSubscription()
    if (!earlier) throw error
    await earlier.unsubscribe()
    return pushManager.subscribe(options)
  }
}

export async function turnPushOff(): Promise<void> {
  const subscription = await subscriptionNow()
  rememberPush(null)
  if (!subscription) return
  // Unsubscribes in the browser first, so that nothing arrives even if the server can't be reached.
  await subscription.unsubscribe()
  await removePushSubscription(subscription.endpoint)
}

/**
 * Called after a sign-in if push is on. Registers the worker again, which updates it, and sends the server the current
 * subscription, since browsers replace them.
 */
export async function keepPushOn(publicKey: string): Promise<void> {
  if (Notification.permission !== 'granted') return
  await registerWorker()
  const { pushManager } = await navigator.serviceWorker.ready
  await savePushSubscription(await subscribe(pushManager, publicKey))
}

/** These pages' CSP accepts script URLs only through a Trusted Types policy. */
function registerWorker(): Promise<ServiceWorkerRegistration> {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  const policy = trustedTypes?.createPolicy('bursar-push', { createScriptURL: (url) => url })
  const url = policy ? policy.createScriptURL('/push.js') : '/push.js'
  return navigator.serviceWorker.register(url as string, { scope: '/dashboard', updateViaCache: 'none' })
}

type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): unknown }
}
