/** Shown on every screen of a staging deployment. */
export default function TestNetworkBar() {
  return (
    <p role="status" className="bg-amber-tint px-4 py-2 text-center text-amber text-small">
      Test network: the money here is test USDC and has no value.
    </p>
  )
}
