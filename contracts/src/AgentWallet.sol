// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

import {PayoutEscrow} from "./PayoutEscrow.sol";
import {Provider} from "./Provider.sol";
import {SendWindow} from "./SendWindow.sol";
import {SessionWord} from "./SessionWord.sol";
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
    using SessionWord for uint256;

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

    /// @dev See `SessionWord`: read by every send, written by none.
    uint256 private _session;
    /// @dev See `SendWindow`: the one word a send writes.
    uint256 private _window;
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

        _setSession(sessionKey, limit, validUntil);
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

    // Owner, directly

    /// @notice Move `amount` of `token` (zero: wei of ETH) to `to`. Works whatever the session and the provider do.
    function withdraw(address token, address to, uint256 amount) external byOwner {
        _withdraw(token, to, amount);
    }

    /// @notice Replace the session. The owner is not bound by the provider's caps.
    /// @param limit Micro-USDC.
    /// @param validUntil Unix seconds, inclusive.
    function setSession(address sessionKey, uint64 limit, uint40 validUntil) external byOwner {
        _setSession(sessionKey, limit, validUntil);
    }

    /// @notice End the session at once and refuse rotations until the owner sets another.
    function revokeSession() external byOwner {
        _revokeSession();
    }

    /// @notice Take from the provider, for good, the power to replace the session key. The current key stays.
    function disableRotationAuthority() external byOwner {
        _session |= SessionWord.ROTATION_DISABLED;
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
        _setSession(sessionKey, limit, validUntil);
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
        uint256 session = _session;
        uint256 window = _window;
        if (session.has(SessionWord.ROTATION_DISABLED)) revert RotationDisabled();
        if (session.has(SessionWord.REVOKED)) revert SessionRevoked();
        if (expectedEpoch != window.epoch()) revert WrongEpoch(expectedEpoch, window.epoch());
        _checkCaps(limit, validUntil);
        uint256 granted = _checkGrant(session, window.remaining(), limit);
        address signer = ECDSA.recover(_digest(_hashRotate(newKey, limit, validUntil, expectedEpoch, deadline)), r, vs);
        if (!Provider(provider()).mayRotate(signer)) revert NotOperator(signer);

        _openSession(newKey, limit, validUntil, SessionWord.packGrants(_today(), granted), SessionWord.ROTATED);
    }

    // Views

    /// @notice The wallet's state in one answer, so that two nodes' answers are never mixed.
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
            grantedToday: uint64(session.grantedOn(_today()))
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

    function _setSession(address key, uint64 limit, uint40 validUntil) private {
        uint256 session = _session;
        _openSession(key, limit, validUntil, session.grants(), session & SessionWord.ROTATION_DISABLED);
    }

    function _revokeSession() private {
        uint256 session = _session;
        uint256 flags = (session & SessionWord.ROTATION_DISABLED) | SessionWord.REVOKED;
        _session = SessionWord.pack(address(0), 0, session.grants(), flags);
        _window = SendWindow.open(0, _nextEpoch());
    }

    /// @dev Rewrites both words whole, so that nothing of the old session is left.
    function _openSession(address key, uint64 limit, uint40 validUntil, uint256 grants, uint256 flags) private {
        if (key == address(0)) revert InvalidSessionKey(key);

        _session = SessionWord.pack(key, validUntil, grants, flags);
        _window = SendWindow.open(limit, _nextEpoch());
    }

    function _reclaimPayout(PayoutEscrow.Terms calldata terms) private {
        // The wallet is the payer, so the escrow asks for no signature. One micro-USDC is enough: late money counts.
        ESCROW.reclaim(terms, 1, 0, 0, 0);
    }

    function _nextOwnerNonce() private returns (uint256 current) {
        current = _ownerNonce;
        unchecked {
            _ownerNonce = current + 1;
        }
    }

    /// @dev Wraps rather than reverts: no counter may lock the owner out.
    function _nextEpoch() private view returns (uint32) {
        unchecked {
            return _window.epoch() + 1;
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

    /// @dev What the provider will have granted today with this rotation.
    function _checkGrant(uint256 session, uint256 left, uint64 limit) private view returns (uint256 granted) {
        granted = session.grantedOn(_today());
        // What is left of a session that a rotation opened today is in that sum already.
        if (session.has(SessionWord.ROTATED) && granted >= left) granted -= left;
        granted += limit;
        if (granted > MAX_GRANT && limit > left) revert DailyGrantExceeded(granted, MAX_GRANT);
    }

    function _today() private view returns (uint256) {
        return block.timestamp / 1 days;
    }

    /// @dev An address among the clone's immutable arguments, which follow its 45 bytes of code. Assembly reads one word
    /// instead of copying all. Plain Solidity: `address(bytes20(slice(Clones.fetchCloneArgs(address(this)), offset)))`.
    function _argument(uint256 offset) private view returns (address argument) {
        assembly ("memory-safe") {
            extcodecopy(address(), 0, add(0x2d, offset), 0x20)
            argument := shr(96, mload(0))
        }
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
