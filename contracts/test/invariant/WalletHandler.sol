// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";
import {Provider} from "../../src/Provider.sol";
import {UsdcStandIn} from "../../src/usdc/UsdcStandIn.sol";
import {Signing} from "../base/Signing.sol";

/// @dev Every action on one wallet, next to a simple model that predicts whether the action succeeds. A call that
/// succeeds or reverts against the prediction fails the run immediately.
contract WalletHandler is Signing {
    struct SignedSend {
        address to;
        uint64 amount;
        uint64 nonce;
        uint48 deadline;
        uint256 key;
        bytes32 r;
        bytes32 vs;
    }

    struct SignedBuy {
        Buy buy;
        uint32 epoch;
        uint256 key;
        bytes signature;
    }

    uint256 private constant OWNER = 0xa11ce;
    uint256 private constant OPERATOR = 0x09e7;
    uint64 private constant CAP = 10_000e6;
    address private constant ADMIN = address(0xad01);

    AgentWallet public immutable WALLET;
    UsdcStandIn private immutable USDC;
    Provider private immutable PROVIDER;
    address[3] public recipients = [address(0xb001), address(0xb002), address(0xb003)];

    // The model: mappings and plain numbers, without packed words or shifts.
    uint256 public key = 0x5e55;
    uint256 public validUntil;
    uint32 public epoch = 1;
    uint64 public limit;
    uint64 public remaining;
    uint16 public allowance;
    uint64 public top = 1 << 32;
    mapping(uint64 nonce => bool) public used;
    mapping(bytes32 nonce => bool) private _boughtWith;
    bool public revoked;
    bool public disabled;
    bool private _rotated;
    bool private _paused;
    bool private _rotationsPaused;
    uint256 public ownerNonce;
    uint256 public grantDay;
    uint256 public granted;

    // Where the money is
    uint256 public deposits;
    uint256 public sent;
    uint256 public sentThisSession;
    uint256 public withdrawn;
    uint256 public bought;
    uint256 public boughtThisSession;
    mapping(uint64 nonce => uint256) public payments;

    SignedSend[] private _sends;
    SignedBuy[] private _buys;
    bytes[] private _ownerCalls;
    bytes[] private _rotations;

    constructor(AgentWallet wallet, UsdcStandIn usdc, Provider provider, uint64 firstLimit, uint16 firstAllowance) {
        WALLET = wallet;
        USDC = usdc;
        PROVIDER = provider;
        limit = firstLimit;
        allowance = firstAllowance;
        remaining = firstLimit - uint64(firstAllowance) * 1e6;
        validUntil = wallet.state().validUntil;
        deposits = usdc.balanceOf(address(wallet));
    }

    /// @dev The window by definition: bit i is set if nonce `top - i` of the current epoch was used.
    function seen() external view returns (uint128 bits) {
        for (uint64 behind = 0; behind < 128 && behind <= uint32(top); ++behind) {
            if (used[top - behind]) bits |= uint128(1) << behind;
        }
    }

    // Session key

    function send(uint256 keySeed, uint256 to, uint64 amount, uint64 jump, uint256 life) public {
        // Mostly the current key, nonces near the top of the window, and amounts within the budget.
        uint256 signer = keySeed % 8 == 0 || key == 0 ? _key(keySeed) : key;
        uint64 nonce;
        unchecked {
            nonce = jump % 16 == 0 ? jump : top - 130 + jump % 200;
            if (jump % 61 == 0) nonce = (uint64(epoch) << 32) | (type(uint32).max - jump % 130);
        }
        amount = amount % 32 == 0 ? amount : uint64(amount % (remaining / 4 + 2));
        uint48 deadline = uint48(_now() + life % 2 days);
        (bytes32 r, bytes32 vs) = signSend(signer, address(WALLET), recipients[to % 3], amount, nonce, deadline);
        _sends.push(SignedSend(recipients[to % 3], amount, nonce, deadline, signer, r, vs));
        _submit(_sends[_sends.length - 1]);
    }

    /// @dev Sends are the most frequent action of a wallet.
    function burst(uint256 seed) external {
        for (uint256 i = 0; i < 8; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            send(seed, seed >> 16, uint64(seed >> 32), uint64(seed >> 96), seed >> 160);
        }
    }

    /// @dev Submits any send signed earlier, executed or not.
    function replaySend(uint256 index) external {
        if (_sends.length != 0) _submit(_sends[index % _sends.length]);
    }

    function _submit(SignedSend memory s) private {
        bool expected = s.deadline >= _now() && s.amount > 0 && _now() <= validUntil && s.nonce >> 32 == epoch
            && s.key == key && s.amount <= remaining && !used[s.nonce] && (s.nonce > top || top - s.nonce <= 127)
            && !_paused && !USDC.isBlacklisted(s.to) && USDC.balanceOf(address(WALLET)) >= s.amount;
        (bool success,) =
            address(WALLET).call(abi.encodeCall(AgentWallet.send, (s.to, s.amount, s.nonce, s.deadline, s.r, s.vs)));
        vm.assertEq(success, expected, "send differs from the model");
        if (!success) return;
        used[s.nonce] = true;
        if (s.nonce > top) top = s.nonce;
        remaining -= s.amount;
        sent += s.amount;
        sentThisSession += s.amount;
        payments[s.nonce] += 1;
        vm.assertEq(payments[s.nonce], 1, "a nonce paid twice");
    }

    // Purchases

    function buy(uint256 keySeed, Buy memory b, uint256 seed) public {
        // Mostly the current key and epoch, and values and numbers around the bounds of a class.
        uint256 signer = keySeed % 8 == 0 || key == 0 ? _key(keySeed) : key;
        uint32 inEpoch = seed % 16 == 0 ? epoch - 1 : epoch;
        b.to = recipients[seed % 3];
        if (seed % 32 != 0) b.class = b.class % 3;
        if (seed % 5 != 0) b.value = uint64(_cap(b.class) + 1 - b.value % 3);
        if (seed % 7 != 0) b.number = uint32(b.number % (_count(b.class) + 2));
        b.validBefore = uint48(_now() + b.validBefore % 310);
        bytes32 digest = purchaseDigest(address(USDC), address(WALLET), inEpoch, b);
        _buys.push(SignedBuy(b, inEpoch, signer, packPurchase(signer, digest, b)));
        _settle(_buys[_buys.length - 1]);
    }

    function buyMany(uint256 seed) external {
        for (uint256 i = 0; i < 8; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            Buy memory b = Buy(
                address(0), uint64(seed >> 32), uint48(seed >> 96), uint8(seed >> 144), uint32(seed >> 152)
            );
            buy(seed, b, seed >> 184);
        }
    }

    /// @dev Submits any purchase signed earlier, settled or not.
    function replayBuy(uint256 index) external {
        if (_buys.length != 0) _settle(_buys[index % _buys.length]);
    }

    function _settle(SignedBuy memory s) private {
        Buy memory b = s.buy;
        bytes32 nonce = purchaseNonce(s.epoch, b);
        bool expected = s.epoch == epoch && s.key == key && _now() <= validUntil && _now() < b.validBefore
            && b.validBefore <= _now() + 300 && b.class < 3 && b.value <= _cap(b.class) && b.number < _count(b.class)
            && !_boughtWith[nonce] && !_paused && !USDC.isBlacklisted(b.to)
            && USDC.balanceOf(address(WALLET)) >= b.value;
        (bool success,) = address(USDC).call(
            abi.encodeWithSignature(
                "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
                WALLET,
                b.to,
                b.value,
                0,
                b.validBefore,
                nonce,
                s.signature
            )
        );
        vm.assertEq(success, expected, "purchase differs from the model");
        if (!success) return;
        _boughtWith[nonce] = true;
        bought += b.value;
        boughtThisSession += b.value;
    }

    function _cap(uint8 class) private pure returns (uint256) {
        return class == 0 ? 10_000 : class == 1 ? 100_000 : 1_000_000;
    }

    /// @dev The share of each class in the allowance, divided by its cap.
    function _count(uint8 class) private view returns (uint256) {
        uint256 share = class == 0 ? 10 : class == 1 ? 30 : 60;
        return uint256(allowance) * 1e6 * share / 100 / _cap(class);
    }

    // Owner

    function ownerSet(bool signed, uint256 keySeed, uint64 newLimit, uint16 share, uint40 until) external {
        uint256 newKey = _key(keySeed);
        newLimit = newLimit % 50_000e6;
        share = _share(newLimit, share);
        until = uint40(_now() + until % 60 days);
        if (signed) {
            uint48 deadline = uint48(_now() + 60);
            (bytes32 r, bytes32 vs) =
                signSetSession(OWNER, address(WALLET), vm.addr(newKey), newLimit, share, until, ownerNonce, deadline);
            _byOwner(
                true,
                abi.encodeCall(AgentWallet.setSessionBySig, (vm.addr(newKey), newLimit, share, until, deadline, r, vs))
            );
        } else {
            _byOwner(false, abi.encodeCall(AgentWallet.setSession, (vm.addr(newKey), newLimit, share, until)));
        }
        _open(newKey, newLimit, share, until, false);
    }

    function ownerRevoke(bool signed, uint256 rare) external {
        if (rare % 3 != 0) return;
        uint48 deadline = uint48(_now() + 60);
        (bytes32 r, bytes32 vs) = signRevokeSession(OWNER, address(WALLET), ownerNonce, deadline);
        _byOwner(
            signed,
            signed
                ? abi.encodeCall(AgentWallet.revokeSessionBySig, (deadline, r, vs))
                : abi.encodeCall(AgentWallet.revokeSession, ())
        );
        _open(0, 0, 0, 0, false);
        revoked = true;
    }

    function ownerDisable(bool signed, uint256 rare) external {
        if (rare % 16 != 0) return;
        uint48 deadline = uint48(_now() + 60);
        (bytes32 r, bytes32 vs) = signDisableRotation(OWNER, address(WALLET), ownerNonce, deadline);
        _byOwner(
            signed,
            signed
                ? abi.encodeCall(AgentWallet.disableRotationAuthorityBySig, (deadline, r, vs))
                : abi.encodeCall(AgentWallet.disableRotationAuthority, ())
        );
        disabled = true;
    }

    function ownerWithdraw(bool signed, uint256 amount) external {
        if (_paused) return;
        amount = amount % (USDC.balanceOf(address(WALLET)) / 8 + 1);
        uint48 deadline = uint48(_now() + 60);
        address to = address(0xca5);
        (bytes32 r, bytes32 vs) = signWithdraw(OWNER, address(WALLET), address(USDC), to, amount, ownerNonce, deadline);
        _byOwner(
            signed,
            signed
                ? abi.encodeCall(AgentWallet.withdrawBySig, (address(USDC), to, amount, deadline, r, vs))
                : abi.encodeCall(AgentWallet.withdraw, (address(USDC), to, amount))
        );
        withdrawn += amount;
    }

    function replayOwner(uint256 index) external {
        if (_ownerCalls.length == 0) return;
        (bool success,) = address(WALLET).call(_ownerCalls[index % _ownerCalls.length]);
        vm.assertFalse(success, "an owner's signature worked twice");
    }

    function strangerTriesOwnerActions(address caller, uint256 which) external {
        if (caller == vm.addr(OWNER)) return;
        bytes memory data = which % 4 == 0
            ? abi.encodeCall(AgentWallet.withdraw, (address(USDC), caller, 1))
            : which % 4 == 1
                ? abi.encodeCall(AgentWallet.setSession, (caller, 1, 0, type(uint40).max))
                : which % 4 == 2
                    ? abi.encodeCall(AgentWallet.revokeSession, ())
                    : abi.encodeCall(AgentWallet.disableRotationAuthority, ());
        vm.prank(caller);
        (bool success,) = address(WALLET).call(data);
        vm.assertFalse(success, "a stranger acted as owner");
    }

    function _byOwner(bool signed, bytes memory data) private {
        if (signed) _ownerCalls.push(data);
        else vm.prank(vm.addr(OWNER));
        (bool success,) = address(WALLET).call(data);
        vm.assertTrue(success, "the owner's action reverted");
        ownerNonce += 1;
    }

    // Provider

    function rotate(uint256 keySeed, uint64 newLimit, uint16 share, uint40 until, uint32 staleness) external {
        uint256 newKey = _key(keySeed);
        newLimit = newLimit % 8 == 0 ? CAP : uint64(newLimit % (CAP + CAP / 50));
        share = _share(newLimit, share);
        until = uint40(_now() + until % 92 days);
        uint32 expectedEpoch = staleness % 8 == 0 ? epoch - 1 : epoch;
        uint48 deadline = uint48(_now() + 60);
        (bytes32 r, bytes32 vs) =
            signRotate(OPERATOR, address(WALLET), vm.addr(newKey), newLimit, share, until, expectedEpoch, deadline);
        bytes memory data = abi.encodeCall(
            AgentWallet.rotateSessionKey, (vm.addr(newKey), newLimit, share, until, expectedEpoch, deadline, r, vs)
        );
        _rotations.push(data);

        uint256 today = _now() / 1 days;
        uint256 total = grantDay == today ? granted : 0;
        if (_rotated && grantDay == today) total -= remaining;
        total += newLimit;
        bool expected = !disabled && !revoked && !_rotationsPaused && expectedEpoch == epoch && newLimit <= CAP
            && until <= _now() + 90 days && (total <= CAP || newLimit <= remaining);
        (bool success,) = address(WALLET).call(data);
        vm.assertEq(success, expected, "rotation differs from the model");
        if (!success) return;
        grantDay = today;
        granted = total;
        _open(newKey, newLimit, share, until, true);
    }

    function replayRotation(uint256 index) external {
        if (_rotations.length == 0) return;
        AgentWallet.State memory before = WALLET.state();
        (bool success,) = address(WALLET).call(_rotations[index % _rotations.length]);
        // A rotation refused before, for example during a pause, may succeed now. One that has succeeded cannot: its
        // expected epoch has passed.
        if (!success) return;
        AgentWallet.State memory state = WALLET.state();
        vm.assertTrue(!disabled && !revoked && state.epoch == before.epoch + 1, "a rotation worked twice");
        key = state.sessionKey == vm.addr(_key(0)) ? _key(0) : state.sessionKey == vm.addr(_key(1)) ? _key(1) : _key(2);
        grantDay = state.grantDay;
        granted = state.grantedToday;
        uint64 whole = state.remaining + uint64(state.purchaseAllowance) * 1e6;
        _open(key, whole, state.purchaseAllowance, state.validUntil, true);
    }

    // World

    function pauseRotations(bool stop) external {
        vm.prank(ADMIN);
        if (stop) PROVIDER.pauseRotations();
        else PROVIDER.unpauseRotations();
        _rotationsPaused = stop;
    }

    function pauseUsdc(uint256 seed) external {
        bool stop = seed % 4 == 0;
        vm.prank(ADMIN);
        if (stop) USDC.pause();
        else USDC.unpause();
        _paused = stop;
    }

    function blacklist(uint256 index, bool listed) external {
        vm.prank(ADMIN);
        if (listed) USDC.blacklist(recipients[index % 3]);
        else USDC.unBlacklist(recipients[index % 3]);
    }

    function deposit(uint64 amount) external {
        if (_paused) return;
        amount = 1 + amount % 20_000e6;
        vm.prank(ADMIN);
        USDC.mint(address(WALLET), amount);
        deposits += amount;
    }

    function wait_(uint256 time) external {
        vm.warp(_now() + (time % 4 == 0 ? time % 3 days : time % 10 minutes));
    }

    /// @dev Whole USDC within the limit: half of the time a few, as in real sessions.
    function _share(uint64 newLimit, uint16 seed) private pure returns (uint16) {
        uint256 most = newLimit / 1e6;
        return uint16(seed % 2 == 0 ? (seed / 2) % (most + 1) : most < 60 ? most : seed % 60);
    }

    function _open(uint256 newKey, uint64 newLimit, uint16 newAllowance, uint256 until, bool rotated) private {
        epoch += 1;
        key = newKey;
        limit = newLimit;
        allowance = newAllowance;
        remaining = newLimit - uint64(newAllowance) * 1e6;
        sentThisSession = 0;
        boughtThisSession = 0;
        validUntil = until;
        top = uint64(epoch) << 32;
        revoked = false;
        _rotated = rotated;
    }

    function _key(uint256 seed) private pure returns (uint256) {
        return [uint256(0x5e55), 0x5e56, 0x5e57][seed % 3];
    }

    function _now() private view returns (uint256) {
        return vm.getBlockTimestamp();
    }
}
