// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

import {PayoutEscrow} from "./PayoutEscrow.sol";
import {Provider} from "./Provider.sol";
import {SendWindow} from "./SendWindow.sol";
import {TypedData} from "./TypedData.sol";

/// @title A USDC wallet that an agent's session key may spend from, within a budget its owner can end at any time.
/// @notice Three powers. The session key sends USDC up to the session's limit. The owner does everything else, directly
/// or by signature. The provider's operators may replace the session key within the caps below, until the owner forbids
/// it. There is no upgrade, no delegatecall, no generic call, no approval and no ERC-1271: USDC would accept the latter
/// for transfers that the budget does not count.
/// @dev Clones with immutable arguments `owner ‖ provider` of one implementation, made by `AgentWalletFactory`.
contract AgentWallet {
    using SafeERC20 for IERC20;
    using SendWindow for uint256;

    /// @dev Exactly one storage word: read by every send, written by none.
    struct Session {
        /// @dev Zero while there is none.
        address key;
        /// @dev Unix seconds, inclusive.
        uint40 validUntil;
        /// @dev Raised by every set, rotate and revoke; the upper half of every nonce.
        uint32 epoch;
        /// @dev Irreversible.
        bool rotationDisabled;
        /// @dev The owner revoked, and has not set a session since: rotation is blocked.
        bool revoked;
        /// @dev The session was opened by a rotation, on the day in `_grants`.
        bool rotated;
    }

    /// @dev What the provider granted on one UTC day.
    struct Grants {
        /// @dev Unix seconds / 1 days.
        uint32 day;
        /// @dev Micro-USDC, less what was left of those grants when they were replaced.
        uint64 amount;
    }

    /// @notice Everything an observer needs, of one and the same block.
    struct State {
        uint64 blockNumber;
        /// @dev Unix seconds.
        uint64 timestamp;
        address sessionKey;
        /// @dev Unix seconds, inclusive.
        uint40 validUntil;
        uint32 epoch;
        bool rotationDisabled;
        bool sessionRevoked;
        /// @dev Micro-USDC the session may still send.
        uint64 remaining;
        /// @dev Highest nonce used, or the epoch's first nonce.
        uint64 top;
        /// @dev Bit i: nonce `top - i` was used.
        uint128 seen;
        /// @dev Micro-USDC held.
        uint256 balance;
        uint256 ownerNonce;
        /// @dev The current UTC day: unix seconds / 1 days.
        uint32 grantDay;
        /// @dev Micro-USDC the provider granted on `grantDay`, net; at most `MAX_GRANT` before a rotation adds budget.
        uint64 grantedToday;
    }

    /// @notice Micro-USDC: the most one provider session may hold, and the most all of a UTC day may add.
    uint64 public constant MAX_GRANT = 10_000e6;
    /// @notice The longest a provider session may last from now.
    uint256 public constant MAX_VALIDITY = 90 days;
    /// @notice The furthest ahead the deadline of an owner's signature may lie when it is submitted.
    uint256 public constant MAX_OWNER_DEADLINE = 1 days;

    bytes32 public constant SEND_TYPEHASH = keccak256("Send(address to,uint64 amount,uint64 nonce,uint48 deadline)");
    bytes32 public constant ROTATE_TYPEHASH =
        keccak256("Rotate(address newKey,uint64 limit,uint40 validUntil,uint32 expectedEpoch,uint48 deadline)");
    bytes32 public constant WITHDRAW_TYPEHASH =
        keccak256("Withdraw(address token,address to,uint256 amount,uint256 ownerNonce,uint48 deadline)");
    bytes32 public constant SET_SESSION_TYPEHASH =
        keccak256("SetSession(address sessionKey,uint64 limit,uint40 validUntil,uint256 ownerNonce,uint48 deadline)");
    bytes32 public constant REVOKE_SESSION_TYPEHASH = keccak256("RevokeSession(uint256 ownerNonce,uint48 deadline)");
    bytes32 public constant DISABLE_ROTATION_AUTHORITY_TYPEHASH =
        keccak256("DisableRotationAuthority(uint256 ownerNonce,uint48 deadline)");
    bytes32 public constant RECLAIM_PAYOUT_TYPEHASH =
        keccak256("ReclaimPayout(bytes32 payoutId,uint256 ownerNonce,uint48 deadline)");
    bytes32 private constant NAME_HASH = keccak256("Bursar AgentWallet");

    IERC20 public immutable USDC;
    PayoutEscrow public immutable ESCROW;
    address public immutable FACTORY;

    Session private _session;
    /// @dev See `SendWindow`: the one word a send writes.
    uint256 private _window;
    Grants private _grants;
    uint256 private _ownerNonce;

    /// @notice The only topic is the nonce. USDC's `Transfer` is the next log: together they prove the payment.
    event Sent(uint256 indexed nonce) anonymous;

    error NotOwner(address caller);
    error NotFactory(address caller);

    /// @notice The signature was valid until `deadline` (unix seconds, inclusive).
    error SignatureExpired(uint48 deadline, uint256 timestamp);

    /// @notice An owner's signature may be submitted at most one day before its deadline (unix seconds).
    error DeadlineTooFar(uint48 deadline, uint256 latest);

    /// @notice The session was valid until `validUntil` (unix seconds, inclusive).
    error SessionExpired(uint40 validUntil, uint256 timestamp);

    /// @notice The nonce or the rotation is for another session than the current one.
    error WrongEpoch(uint32 epoch, uint32 current);

    /// @notice The signature is by `signer` instead of the key that may do this.
    error WrongSigner(address signer, address expected);

    /// @notice `signer` is no operator of the provider, or the provider paused rotations.
    error NotOperator(address signer);

    error InvalidRecipient(address to);
    error InvalidSessionKey(address key);
    error ZeroAmount();

    /// @notice A provider session above `MAX_GRANT`, in micro-USDC.
    error LimitTooHigh(uint64 limit, uint64 highest);

    /// @notice A provider session beyond `MAX_VALIDITY`, in unix seconds.
    error ValidityTooLong(uint40 validUntil, uint256 latest);

    /// @notice With this rotation the provider would have granted `granted` micro-USDC today.
    error DailyGrantExceeded(uint256 granted, uint64 highest);

    /// @notice The owner disabled rotation for good.
    error RotationDisabled();

    /// @notice The owner revoked the session and has not set another.
    error SessionRevoked();

    modifier byOwner() {
        if (msg.sender != owner()) revert NotOwner(msg.sender);
        _nextOwnerNonce();
        _;
    }

    /// @param factory The only address that may open a first session.
    constructor(IERC20 usdc, PayoutEscrow escrow, address factory) {
        USDC = usdc;
        ESCROW = escrow;
        FACTORY = factory;
    }

    /// @notice Open the first session. Called once, by the factory, in the transaction that creates the wallet.
    function initialize(address sessionKey, uint64 limit, uint40 validUntil) external {
        if (msg.sender != FACTORY) revert NotFactory(msg.sender);
        _checkCaps(limit, validUntil);

        _openSession(sessionKey, limit, validUntil, false);
    }

    // Session key

    /// @notice Send `amount` micro-USDC to `to`, as signed by the session key. Anyone may submit; a nonce works once.
    /// @param to Neither zero nor this wallet.
    /// @param amount More than zero.
    /// @param nonce Session epoch (32 bits) ‖ sequence (32 bits), at most 127 behind the highest used.
    /// @param deadline Unix seconds, inclusive. The session's own `validUntil` is inclusive too.
    /// @param r,vs Signature of `Send` in the compact form of EIP-2098.
    function send(address to, uint64 amount, uint64 nonce, uint48 deadline, bytes32 r, bytes32 vs) external {
        if (block.timestamp > deadline) revert SignatureExpired(deadline, block.timestamp);
        if (amount == 0) revert ZeroAmount();
        if (to == address(0) || to == address(this)) revert InvalidRecipient(to);
        Session memory session = _session;
        if (block.timestamp > session.validUntil) revert SessionExpired(session.validUntil, block.timestamp);
        if (nonce >> 32 != session.epoch) revert WrongEpoch(uint32(nonce >> 32), session.epoch);
        address signer = ECDSA.recover(_digest(_hashSend(to, amount, nonce, deadline)), r, vs);
        if (signer != session.key) revert WrongSigner(signer, session.key);

        _window = _window.consume(amount, nonce);
        emit Sent(nonce);

        USDC.safeTransfer(to, amount);
    }

    // Owner, directly

    /// @notice Move `amount` of `token` (zero: wei of ETH) to `to`. Works whatever the session and the provider do.
    function withdraw(address token, address to, uint256 amount) external byOwner {
        _withdraw(token, to, amount);
    }

    /// @notice Replace the session. The owner is not bound by the provider's caps.
    /// @param limit Micro-USDC.
    /// @param validUntil Unix seconds, inclusive.
    function setSession(address sessionKey, uint64 limit, uint40 validUntil) external byOwner {
        _openSession(sessionKey, limit, validUntil, false);
    }

    /// @notice End the session at once and refuse rotations until the owner sets another.
    function revokeSession() external byOwner {
        _revokeSession();
    }

    /// @notice Take from the provider, for good, the power to replace the session key. The current key stays.
    function disableRotationAuthority() external byOwner {
        _session.rotationDisabled = true;
    }

    /// @notice Bring back whatever a payout of this wallet still holds, before or after its expiry.
    function reclaimPayout(PayoutEscrow.Terms calldata terms) external byOwner {
        _reclaimPayout(terms);
    }

    // Owner, by a signature anyone may submit: deadline in unix seconds, inclusive, at most one day ahead

    /// @notice `withdraw`, signed by the owner.
    function withdrawBySig(address token, address to, uint256 amount, uint48 deadline, bytes32 r, bytes32 vs) external {
        _checkOwner(_hashWithdraw(token, to, amount, _nextOwnerNonce(), deadline), deadline, r, vs);
        _withdraw(token, to, amount);
    }

    /// @notice `setSession`, signed by the owner.
    function setSessionBySig(
        address sessionKey,
        uint64 limit,
        uint40 validUntil,
        uint48 deadline,
        bytes32 r,
        bytes32 vs
    ) external {
        _checkOwner(_hashSetSession(sessionKey, limit, validUntil, _nextOwnerNonce(), deadline), deadline, r, vs);
        _openSession(sessionKey, limit, validUntil, false);
    }

    /// @notice `revokeSession`, signed by the owner.
    function revokeSessionBySig(uint48 deadline, bytes32 r, bytes32 vs) external {
        _checkOwner(_hashRevokeSession(_nextOwnerNonce(), deadline), deadline, r, vs);
        _revokeSession();
    }

    /// @notice `disableRotationAuthority`, signed by the owner.
    function disableRotationAuthorityBySig(uint48 deadline, bytes32 r, bytes32 vs) external {
        _checkOwner(_hashDisableRotationAuthority(_nextOwnerNonce(), deadline), deadline, r, vs);
        _session.rotationDisabled = true;
    }

    /// @notice `reclaimPayout`, signed by the owner.
    function reclaimPayoutBySig(PayoutEscrow.Terms calldata terms, uint48 deadline, bytes32 r, bytes32 vs) external {
        bytes32 payoutId = keccak256(abi.encode(terms));
        _checkOwner(_hashReclaimPayout(payoutId, _nextOwnerNonce(), deadline), deadline, r, vs);
        _reclaimPayout(terms);
    }

    // Provider

    /// @notice Replace the session key, as signed by an operator the provider accepts now.
    /// @dev Bounded: `MAX_GRANT` and `MAX_VALIDITY` a grant, and `MAX_GRANT` for all grants of a UTC day. Of that sum
    /// only what is left of the same day's grants is taken off again: money left by the owner or by an earlier day is
    /// newly in the hand of whoever holds the new key, and counts. So a stolen operator key moves at most twice
    /// `MAX_GRANT` in any 24 hours, plus what the owner sets meanwhile. A swap that adds no budget always passes.
    /// @param limit Micro-USDC.
    /// @param validUntil Unix seconds, inclusive.
    /// @param expectedEpoch The session being replaced: a rotation in flight cannot undo what the owner did since.
    /// @param deadline Unix seconds, inclusive.
    function rotateSessionKey(
        address newKey,
        uint64 limit,
        uint40 validUntil,
        uint32 expectedEpoch,
        uint48 deadline,
        bytes32 r,
        bytes32 vs
    ) external {
        if (block.timestamp > deadline) revert SignatureExpired(deadline, block.timestamp);
        Session memory session = _session;
        if (session.rotationDisabled) revert RotationDisabled();
        if (session.revoked) revert SessionRevoked();
        if (expectedEpoch != session.epoch) revert WrongEpoch(expectedEpoch, session.epoch);
        _checkCaps(limit, validUntil);
        address signer = ECDSA.recover(_digest(_hashRotate(newKey, limit, validUntil, expectedEpoch, deadline)), r, vs);
        if (!Provider(provider()).mayRotate(signer)) revert NotOperator(signer);

        _recordGrant(limit, session.rotated);
        _openSession(newKey, limit, validUntil, true);
    }

    // Views

    /// @notice The wallet's state in one answer, so that two nodes' answers are never mixed.
    function state() external view returns (State memory) {
        Session memory session = _session;
        uint256 window = _window;
        return State({
            blockNumber: uint64(block.number),
            timestamp: uint64(block.timestamp),
            sessionKey: session.key,
            validUntil: session.validUntil,
            epoch: session.epoch,
            rotationDisabled: session.rotationDisabled,
            sessionRevoked: session.revoked,
            remaining: window.remaining(),
            top: window.top(),
            seen: window.seen(),
            balance: USDC.balanceOf(address(this)),
            ownerNonce: _ownerNonce,
            grantDay: _today(),
            grantedToday: _grantedToday()
        });
    }

    /// @notice The key that everything but sends and rotations needs.
    function owner() public view returns (address) {
        return _argument(0);
    }

    /// @notice The `Provider` contract whose operators may rotate the session key.
    function provider() public view returns (address) {
        return _argument(20);
    }

    // Actions

    function _withdraw(address token, address to, uint256 amount) private {
        if (to == address(0) || to == address(this)) revert InvalidRecipient(to);

        if (token == address(0)) Address.sendValue(payable(to), amount);
        else IERC20(token).safeTransfer(to, amount);
    }

    /// @dev Rewrites the whole session, so that nothing of the old one is left. The epoch wraps rather than reverts: no
    /// counter may lock the owner out.
    function _openSession(address key, uint64 limit, uint40 validUntil, bool rotated) private {
        if (key == address(0)) revert InvalidSessionKey(key);
        Session memory session = _session;
        unchecked {
            session.epoch += 1;
        }
        session.key = key;
        session.validUntil = validUntil;
        session.revoked = false;
        session.rotated = rotated;
        _session = session;
        _window = SendWindow.open(limit, session.epoch);
    }

    function _revokeSession() private {
        Session memory session = _session;
        unchecked {
            session.epoch += 1;
        }
        session.key = address(0);
        session.validUntil = 0;
        session.revoked = true;
        session.rotated = false;
        _session = session;
        _window = SendWindow.open(0, session.epoch);
    }

    function _reclaimPayout(PayoutEscrow.Terms calldata terms) private {
        // The wallet is the payer, so the escrow asks for no signature. One micro-USDC is enough: late money counts.
        ESCROW.reclaim(terms, 1, 0, 0, 0);
    }

    function _recordGrant(uint64 limit, bool replacesRotated) private {
        uint256 left = _window.remaining();
        uint256 granted = _grantedToday();
        // `left` of a session opened by a rotation today is part of `granted` already.
        granted = replacesRotated && granted >= left ? granted - left + limit : granted + limit;
        if (granted > MAX_GRANT && limit > left) revert DailyGrantExceeded(granted, MAX_GRANT);

        // Cannot overflow: each rotation adds at most MAX_GRANT of the 1.8e9 times MAX_GRANT that fit.
        _grants = Grants({day: _today(), amount: uint64(granted)});
    }

    function _nextOwnerNonce() private returns (uint256 current) {
        current = _ownerNonce;
        unchecked {
            _ownerNonce = current + 1;
        }
    }

    // Checks

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

    function _grantedToday() private view returns (uint64) {
        Grants memory grants = _grants;
        return grants.day == _today() ? grants.amount : 0;
    }

    function _today() private view returns (uint32) {
        return uint32(block.timestamp / 1 days);
    }

    /// @dev An address among the clone's immutable arguments, which follow its 45 bytes of code.
    function _argument(uint256 offset) private view returns (address) {
        bytes memory arguments = Clones.fetchCloneArgs(address(this));
        bytes32 word;
        assembly ("memory-safe") {
            word := mload(add(add(arguments, 0x20), offset))
        }
        return address(bytes20(word));
    }

    // EIP-712. Internal, so that a test contract can compare them with other implementations.

    function _digest(bytes32 structHash) internal view returns (bytes32) {
        return TypedData.digest(NAME_HASH, structHash);
    }

    /// @dev Plain Solidity: `keccak256(abi.encode(SEND_TYPEHASH, to, amount, nonce, deadline))`.
    function _hashSend(address to, uint64 amount, uint64 nonce, uint48 deadline) internal pure returns (bytes32 hash) {
        bytes32 typeHash = SEND_TYPEHASH;
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, typeHash)
            mstore(add(free, 0x20), shr(96, shl(96, to)))
            mstore(add(free, 0x40), and(amount, 0xffffffffffffffff))
            mstore(add(free, 0x60), and(nonce, 0xffffffffffffffff))
            mstore(add(free, 0x80), and(deadline, 0xffffffffffff))
            hash := keccak256(free, 0xa0)
        }
    }

    function _hashRotate(address newKey, uint64 limit, uint40 validUntil, uint32 expectedEpoch, uint48 deadline)
        internal
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(ROTATE_TYPEHASH, newKey, limit, validUntil, expectedEpoch, deadline));
    }

    function _hashWithdraw(address token, address to, uint256 amount, uint256 ownerNonce, uint48 deadline)
        internal
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(WITHDRAW_TYPEHASH, token, to, amount, ownerNonce, deadline));
    }

    function _hashSetSession(address sessionKey, uint64 limit, uint40 validUntil, uint256 ownerNonce, uint48 deadline)
        internal
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(SET_SESSION_TYPEHASH, sessionKey, limit, validUntil, ownerNonce, deadline));
    }

    function _hashRevokeSession(uint256 ownerNonce, uint48 deadline) internal pure returns (bytes32) {
        return keccak256(abi.encode(REVOKE_SESSION_TYPEHASH, ownerNonce, deadline));
    }

    function _hashDisableRotationAuthority(uint256 ownerNonce, uint48 deadline) internal pure returns (bytes32) {
        return keccak256(abi.encode(DISABLE_ROTATION_AUTHORITY_TYPEHASH, ownerNonce, deadline));
    }

    function _hashReclaimPayout(bytes32 payoutId, uint256 ownerNonce, uint48 deadline) internal pure returns (bytes32) {
        return keccak256(abi.encode(RECLAIM_PAYOUT_TYPEHASH, payoutId, ownerNonce, deadline));
    }
}
