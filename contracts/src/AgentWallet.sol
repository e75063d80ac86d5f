// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

import {IAgentWallet} from "./IAgentWallet.sol";
import {PayoutEscrow} from "./PayoutEscrow.sol";
import {Provider} from "./Provider.sol";
import {Purchase} from "./Purchase.sol";
import {SendWindow} from "./SendWindow.sol";
import {SessionWord} from "./SessionWord.sol";
import {WalletArguments} from "./WalletArguments.sol";
import {WalletMessages} from "./WalletMessages.sol";

/// @title A USDC wallet that an agent's session key may spend from, within a budget that its owner can revoke.
/// @notice The session key sends USDC up to the session's limit, less the part that is set aside for purchases. With
/// that part it buys: it signs USDC's own authorisations, numbered and capped, which the wallet confirms by ERC-1271.
/// The provider's operators may replace the session key within the caps below, until the owner disables that. The owner
/// does everything else, directly or by signature. There is no upgrade, no delegatecall, no generic call and no approval,
/// and ERC-1271 confirms nothing but these authorisations.
/// @dev Every wallet is a clone of one implementation, created by `AgentWalletFactory`.
contract AgentWallet is IAgentWallet, IERC1271, WalletArguments, WalletMessages {
    using Purchase for Purchase.Signed;
    using SafeERC20 for IERC20;
    using SendWindow for uint256;
    using SessionWord for uint256;

    /// @notice Micro-USDC: the most that one session set by the provider may hold, and that its rotations may add in
    /// one UTC day.
    uint64 public constant MAX_GRANT = 10_000e6;
    /// @notice The longest that a session set by the provider may last.
    uint256 public constant MAX_VALIDITY = 90 days;
    /// @notice The furthest in the future that the deadline of an owner's signature may be when it is submitted.
    uint256 public constant MAX_OWNER_DEADLINE = 1 days;
    /// @notice The furthest in the future that the end of a purchase's authorisation may be when it is checked.
    uint256 public constant MAX_PURCHASE_VALIDITY = 300 seconds;

    IERC20 public immutable USDC;
    PayoutEscrow public immutable ESCROW;
    address public immutable FACTORY;

    /// @dev See `SessionWord`. Sends read it and never write it.
    uint256 private _session;
    /// @dev See `SendWindow`. The only word of this contract that a send writes.
    uint256 private _window;
    uint256 private _ownerNonce;

    modifier byOwner() {
        if (msg.sender != owner()) revert NotOwner(msg.sender);
        _nextOwnerNonce();
        _;
    }

    /// @param factory The only address that may open a wallet's first session.
    constructor(IERC20 usdc, PayoutEscrow escrow, address factory) {
        USDC = usdc;
        ESCROW = escrow;
        FACTORY = factory;
    }

    /// @notice Open the first session. Called once, by the factory, in the transaction that creates the wallet.
    function initialize(address sessionKey, uint64 limit, uint16 purchaseAllowance, uint40 validUntil) external {
        if (msg.sender != FACTORY) revert NotFactory(msg.sender);
        _checkCaps(limit, validUntil);

        _setSession(sessionKey, limit, purchaseAllowance, validUntil);
    }

    // Session key

    /// @notice Send `amount` micro-USDC to `to`, as signed by the session key. Anyone may submit. Each nonce is
    /// accepted once.
    /// @param to Neither zero nor this wallet.
    /// @param amount More than zero.
    /// @param nonce Session epoch (32 bits) ‖ sequence (32 bits), at most 127 below the highest nonce used.
    /// @param deadline Unix seconds, inclusive, as is the session's `validUntil`.
    /// @param r,vs Signature of `Send` in the compact form of EIP-2098.
    function send(address to, uint64 amount, uint64 nonce, uint48 deadline, bytes32 r, bytes32 vs) external {
        if (block.timestamp > deadline) revert SignatureExpired(deadline, block.timestamp);
        if (amount == 0) revert ZeroAmount();
        if (to == address(0) || to == address(this)) revert InvalidRecipient(to);
        uint256 session = _session;
        uint256 window = _window;
        if (block.timestamp > session.validUntil()) revert SessionExpired(session.validUntil(), block.timestamp);
        if (nonce >> 32 != window.epoch()) revert WrongEpoch(uint32(nonce >> 32), window.epoch());
        address signer = ECDSA.recover(_digest(_hashSend(to, amount, nonce, deadline)), r, vs);
        if (signer != session.key()) revert WrongSigner(signer, session.key());

        _window = window.consume(amount, nonce);
        emit Sent(nonce);

        USDC.safeTransfer(to, amount);
    }

    /// @notice ERC-1271: whether the session key signed this purchase, and may. Called by USDC, for anyone who submits
    /// the authorisation to it.
    /// @dev The wallet keeps no record of purchases: USDC accepts each nonce once, and the nonce contains the session's
    /// epoch, a class, and a number below the class's count. So at most the sum of count × cap leaves per session,
    /// which is at most its purchase allowance. A new session ends all that was signed before.
    /// @param hash The digest of USDC's `TransferWithAuthorization` from this wallet, with `validAfter` 0.
    /// @param signature See `Purchase`.
    /// @return The function's selector, or 0xffffffff for everything else. No signature makes it revert.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return _isPurchase(hash, signature) ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    // Owner, directly

    /// @notice Move `amount` of `token` to `to`; token zero means ETH, in wei. Does not depend on the session or the
    /// provider.
    function withdraw(address token, address to, uint256 amount) external byOwner {
        _withdraw(token, to, amount);
    }

    /// @notice Replace the session. The provider's caps do not apply to the owner.
    /// @param limit Micro-USDC, less than 2^48.
    /// @param purchaseAllowance The part of the limit that purchases may use, in whole USDC.
    /// @param validUntil Unix seconds, inclusive.
    function setSession(address sessionKey, uint64 limit, uint16 purchaseAllowance, uint40 validUntil)
        external
        byOwner
    {
        _setSession(sessionKey, limit, purchaseAllowance, validUntil);
    }

    /// @notice End the session immediately and refuse rotations until the owner sets another session.
    function revokeSession() external byOwner {
        _revokeSession();
    }

    /// @notice Permanently forbid the provider from replacing the session key. The current key remains valid.
    function disableRotationAuthority() external byOwner {
        _session |= SessionWord.ROTATION_DISABLED;
    }

    /// @notice Return the balance of one of this wallet's payouts to the wallet, before or after the payout expires.
    function reclaimPayout(PayoutEscrow.Terms calldata terms) external byOwner {
        _reclaimPayout(terms);
    }

    // Owner, by a signature that anyone may submit. Deadlines are unix seconds, inclusive, at most one day ahead.

    /// @notice `withdraw`, signed by the owner.
    function withdrawBySig(address token, address to, uint256 amount, uint48 deadline, bytes32 r, bytes32 vs) external {
        _checkOwner(_hashWithdraw(token, to, amount, _nextOwnerNonce(), deadline), deadline, r, vs);
        _withdraw(token, to, amount);
    }

    /// @notice `setSession`, signed by the owner.
    function setSessionBySig(
        address sessionKey,
        uint64 limit,
        uint16 purchaseAllowance,
        uint40 validUntil,
        uint48 deadline,
        bytes32 r,
        bytes32 vs
    ) external {
        bytes32 structHash = _hashSetSession(
            sessionKey, limit, purchaseAllowance, validUntil, _nextOwnerNonce(), deadline
        );
        _checkOwner(structHash, deadline, r, vs);
        _setSession(sessionKey, limit, purchaseAllowance, validUntil);
    }

    /// @notice `revokeSession`, signed by the owner.
    function revokeSessionBySig(uint48 deadline, bytes32 r, bytes32 vs) external {
        _checkOwner(_hashRevokeSession(_nextOwnerNonce(), deadline), deadline, r, vs);
        _revokeSession();
    }

    /// @notice `disableRotationAuthority`, signed by the owner.
    function disableRotationAuthorityBySig(uint48 deadline, bytes32 r, bytes32 vs) external {
        _checkOwner(_hashDisableRotationAuthority(_nextOwnerNonce(), deadline), deadline, r, vs);
        _session |= SessionWord.ROTATION_DISABLED;
    }

    /// @notice `reclaimPayout`, signed by the owner.
    function reclaimPayoutBySig(PayoutEscrow.Terms calldata terms, uint48 deadline, bytes32 r, bytes32 vs) external {
        bytes32 payoutId = keccak256(abi.encode(terms));
        _checkOwner(_hashReclaimPayout(payoutId, _nextOwnerNonce(), deadline), deadline, r, vs);
        _reclaimPayout(terms);
    }

    // Provider

    /// @notice Replace the session key, as signed by an operator that the provider currently accepts.
    /// @dev One rotation is capped by `MAX_GRANT` and `MAX_VALIDITY`, and all rotations of a UTC day together by
    /// `MAX_GRANT`. A rotation subtracts from that sum what is left of a session that another rotation of the same day
    /// opened. Budget left by the owner or by an earlier day counts in full, since the holder of the new key gains
    /// access to it. A limit counts whole, but of a purchase allowance nothing is subtracted later: the wallet does not
    /// know how much of it was used. So a stolen operator key moves at most twice `MAX_GRANT` in any 24 hours, plus what
    /// the owner sets in that time. A rotation whose limit is at most what sends have left always passes.
    /// @param limit Micro-USDC.
    /// @param purchaseAllowance The part of the limit that purchases may use, in whole USDC.
    /// @param validUntil Unix seconds, inclusive.
    /// @param expectedEpoch The session to replace. A pending rotation therefore cannot undo a later action of the
    /// owner.
    /// @param deadline Unix seconds, inclusive.
    function rotateSessionKey(
        address newKey,
        uint64 limit,
        uint16 purchaseAllowance,
        uint40 validUntil,
        uint32 expectedEpoch,
        uint48 deadline,
        bytes32 r,
        bytes32 vs
    ) external {
        if (block.timestamp > deadline) revert SignatureExpired(deadline, block.timestamp);
        uint256 session = _session;
        uint256 window = _window;
        if (session.has(SessionWord.ROTATION_DISABLED)) revert RotationDisabled();
        if (session.has(SessionWord.REVOKED)) revert SessionRevoked();
        if (expectedEpoch != window.epoch()) revert WrongEpoch(expectedEpoch, window.epoch());
        _checkCaps(limit, validUntil);
        uint256 granted = _checkGrant(session, window.remaining(), limit);
        bytes32 structHash = _hashRotate(newKey, limit, purchaseAllowance, validUntil, expectedEpoch, deadline);
        address signer = ECDSA.recover(_digest(structHash), r, vs);
        if (!Provider(provider()).mayRotate(signer)) revert NotOperator(signer);

        uint256 grants = SessionWord.packGrants(_today(), granted);
        _openSession(newKey, limit, purchaseAllowance, validUntil, grants, SessionWord.ROTATED);
    }

    // Views

    /// @notice The whole state in one call, so that an observer never mixes the responses of two nodes.
    function state() external view returns (State memory) {
        uint256 session = _session;
        uint256 window = _window;
        return State({
            blockNumber: uint64(block.number),
            timestamp: uint64(block.timestamp),
            sessionKey: session.key(),
            validUntil: session.validUntil(),
            epoch: window.epoch(),
            rotationDisabled: session.has(SessionWord.ROTATION_DISABLED),
            sessionRevoked: session.has(SessionWord.REVOKED),
            remaining: window.remaining(),
            top: window.top(),
            seen: window.seen(),
            balance: USDC.balanceOf(address(this)),
            ownerNonce: _ownerNonce,
            grantDay: uint32(_today()),
            grantedToday: uint64(session.grantedOn(_today())),
            purchaseAllowance: window.purchaseAllowance()
        });
    }

    // Actions

    function _withdraw(address token, address to, uint256 amount) private {
        if (to == address(0) || to == address(this)) revert InvalidRecipient(to);

        if (token == address(0)) Address.sendValue(payable(to), amount);
        else IERC20(token).safeTransfer(to, amount);
    }

    function _setSession(address key, uint64 limit, uint16 purchaseAllowance, uint40 validUntil) private {
        uint256 session = _session;
        uint256 flags = session & SessionWord.ROTATION_DISABLED;
        _openSession(key, limit, purchaseAllowance, validUntil, session.grants(), flags);
    }

    function _revokeSession() private {
        uint256 session = _session;
        uint256 flags = (session & SessionWord.ROTATION_DISABLED) | SessionWord.REVOKED;
        _session = SessionWord.pack(address(0), 0, session.grants(), flags);
        _window = SendWindow.open(0, 0, _nextEpoch());
    }

    /// @dev Overwrites both words, so that nothing of the old session remains.
    function _openSession(
        address key,
        uint64 limit,
        uint16 purchaseAllowance,
        uint40 validUntil,
        uint256 grants,
        uint256 flags
    ) private {
        if (key == address(0)) revert InvalidSessionKey(key);
        if (limit > type(uint48).max) revert LimitTooHigh(limit, type(uint48).max);
        if (uint256(purchaseAllowance) * 1e6 > limit) revert PurchaseAllowanceTooHigh(purchaseAllowance, limit);

        _session = SessionWord.pack(key, validUntil, grants, flags);
        _window = SendWindow.open(limit, purchaseAllowance, _nextEpoch());
    }

    function _reclaimPayout(PayoutEscrow.Terms calldata terms) private {
        // The escrow requires no signature from the payer. The minimum is 1, so that late payments can be reclaimed.
        ESCROW.reclaim(terms, 1, 0, 0, 0);
    }

    function _nextOwnerNonce() private returns (uint256 current) {
        current = _ownerNonce;
        unchecked {
            _ownerNonce = current + 1;
        }
    }

    /// @dev Wraps instead of reverting: no counter may lock the owner out.
    function _nextEpoch() private view returns (uint32) {
        unchecked {
            return _window.epoch() + 1;
        }
    }

    // Checks

    function _isPurchase(bytes32 hash, bytes calldata signature) private view returns (bool) {
        if (signature.length != Purchase.LENGTH) return false;
        Purchase.Signed memory purchase = Purchase.unpack(signature);
        uint256 session = _session;
        uint256 window = _window;
        if (block.timestamp > session.validUntil()) return false;
        if (purchase.validBefore > block.timestamp + MAX_PURCHASE_VALIDITY) return false;
        if (!purchase.isWithin(window.purchaseAllowance())) return false;
        if (hash != purchase.digest(IERC20Permit(address(USDC)).DOMAIN_SEPARATOR(), window.epoch())) return false;
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecover(hash, purchase.r, purchase.vs);
        return problem == ECDSA.RecoverError.NoError && signer == session.key();
    }

    function _checkOwner(bytes32 structHash, uint48 deadline, bytes32 r, bytes32 vs) private view {
        if (block.timestamp > deadline) revert SignatureExpired(deadline, block.timestamp);
        uint256 latest = block.timestamp + MAX_OWNER_DEADLINE;
        if (deadline > latest) revert DeadlineTooFar(deadline, latest);
        address signer = ECDSA.recover(_digest(structHash), r, vs);
        if (signer != owner()) revert WrongSigner(signer, owner());
    }

    function _checkCaps(uint64 limit, uint40 validUntil) private view {
        if (limit > MAX_GRANT) revert LimitTooHigh(limit, MAX_GRANT);
        uint256 latest = block.timestamp + MAX_VALIDITY;
        if (validUntil > latest) revert ValidityTooLong(validUntil, latest);
    }

    /// @dev Micro-USDC that the provider will have granted today, including this rotation.
    function _checkGrant(uint256 session, uint256 left, uint64 limit) private view returns (uint256 granted) {
        granted = session.grantedOn(_today());
        // The sum already contains what is left of a session that a rotation opened today.
        if (session.has(SessionWord.ROTATED) && granted >= left) granted -= left;
        granted += limit;
        if (granted > MAX_GRANT && limit > left) revert DailyGrantExceeded(granted, MAX_GRANT);
    }

    function _today() private view returns (uint256) {
        return block.timestamp / 1 days;
    }
}
