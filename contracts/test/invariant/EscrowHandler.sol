// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PayoutEscrow} from "../../src/PayoutEscrow.sol";
import {UsdcStandIn} from "../../src/usdc/UsdcStandIn.sol";
import {Signing} from "../base/Signing.sol";

/// @dev Funds, claims, reclaims, races and replays over three payouts, and predicts which calls succeed.
contract EscrowHandler is Signing {
    struct SignedCall {
        uint256 payout;
        bool isClaim;
        address to;
        uint64 atLeast;
        uint48 deadline;
        bytes data;
    }

    uint256 private constant CLAIM = 0xc1a1;
    uint256 private constant RECLAIM = 0x7ec1;
    address private constant ADMIN = address(0xad01);

    PayoutEscrow private immutable ESCROW;
    UsdcStandIn private immutable USDC;
    address[2] public recipients = [address(0xb001), address(0xb002)];
    bool private _paused;

    PayoutEscrow.Terms[3] private _terms;
    uint256[3] public funded;
    uint256[3] public claimed;
    uint256[3] public reclaimed;
    SignedCall[] private _calls;

    constructor(PayoutEscrow escrow, UsdcStandIn usdc) {
        ESCROW = escrow;
        USDC = usdc;
        for (uint160 i = 0; i < 3; ++i) {
            _terms[i] = PayoutEscrow.Terms({
                payer: address(0xfa1e0 + i),
                claimKey: vm.addr(CLAIM + i),
                reclaimKey: vm.addr(RECLAIM + i),
                amount: 50e6,
                expiry: uint48(vm.getBlockTimestamp() + 2 days * (i + 1))
            });
        }
    }

    function terms(uint256 i) external view returns (PayoutEscrow.Terms memory) {
        return _terms[i];
    }

    function fund(uint256 i, uint64 amount) external {
        if (_paused) return;
        i %= 3;
        amount = amount % 3 == 0 ? 50e6 : 1 + amount % 60e6;
        address vault = ESCROW.payoutAddress(_terms[i]);
        vm.prank(ADMIN);
        USDC.mint(vault, amount);
        funded[i] += amount;
    }

    function claim(uint256 i, uint256 to, uint64 atLeast, uint48 life) external {
        _signed(i % 3, true, recipients[to % 2], atLeast, life);
        _submit(_calls.length - 1);
    }

    function reclaim(uint256 i, uint64 atLeast, uint48 life) external {
        _signed(i % 3, false, _terms[i % 3].payer, atLeast, life);
        _submit(_calls.length - 1);
    }

    /// @dev Signs a claim and a reclaim and submits both, in either order.
    function race(uint256 i, uint256 to, uint64 atLeast, bool claimFirst) external {
        i %= 3;
        _signed(i, true, recipients[to % 2], atLeast, 60);
        _signed(i, false, _terms[i].payer, atLeast, 60);
        uint256 last = _calls.length - 1;
        bool first = _submit(claimFirst ? last - 1 : last);
        bool second = _submit(claimFirst ? last : last - 1);
        vm.assertFalse(first && second, "both paid");
    }

    /// @dev Submits any call signed earlier.
    function replay(uint256 index) external {
        if (_calls.length != 0) _submit(index % _calls.length);
    }

    /// @dev Without a signature, the payer may reclaim at any time and others from the expiry on.
    function reclaimUnsigned(uint256 i, bool byPayer, address caller) external {
        i %= 3;
        PayoutEscrow.Terms memory t = _terms[i];
        if (byPayer) caller = t.payer;
        bool expected = (caller == t.payer || vm.getBlockTimestamp() >= t.expiry) && _payable(i, t.payer, 1);
        uint256 balance = USDC.balanceOf(ESCROW.payoutAddress(t));
        vm.prank(caller);
        (bool success,) = address(ESCROW).call(abi.encodeCall(PayoutEscrow.reclaim, (t, 1, 0, 0, 0)));
        vm.assertEq(success, expected, "reclaim differs from the model");
        if (success) reclaimed[i] += balance;
    }

    function crossedKeys(uint256 i, uint256 to) external {
        i %= 3;
        bytes32 id = ESCROW.payoutId(_terms[i]);
        uint48 deadline = uint48(vm.getBlockTimestamp());
        (bytes32 r, bytes32 vs) = signClaim(RECLAIM + i, address(ESCROW), id, recipients[to % 2], 0, deadline);
        bytes memory data = abi.encodeCall(PayoutEscrow.claim, (_terms[i], recipients[to % 2], 0, deadline, r, vs));
        (bool success,) = address(ESCROW).call(data);
        vm.assertFalse(success, "claimed with the reclaim key");
    }

    function pauseUsdc(uint256 seed) external {
        _paused = seed % 4 == 0;
        vm.prank(ADMIN);
        if (_paused) USDC.pause();
        else USDC.unpause();
    }

    function blacklist(uint256 who, bool listed) external {
        address account = who % 5 < 2 ? recipients[who % 5] : _terms[who % 5 - 2].payer;
        vm.prank(ADMIN);
        if (listed && who % 2 == 0) USDC.blacklist(account);
        else USDC.unBlacklist(account);
    }

    function wait_(uint256 time) external {
        vm.warp(vm.getBlockTimestamp() + (time % 8 == 0 ? time % 1 days : time % 10 minutes));
    }

    function _signed(uint256 i, bool isClaim, address to, uint64 atLeast, uint48 life) private {
        uint48 deadline = uint48(vm.getBlockTimestamp() + life % 2 days);
        atLeast = atLeast % 4 == 0 ? 50e6 : atLeast % 4 == 1 ? 1 : atLeast % 60e6;
        bytes32 id = ESCROW.payoutId(_terms[i]);
        bytes memory data;
        if (isClaim) {
            (bytes32 r, bytes32 vs) = signClaim(CLAIM + i, address(ESCROW), id, to, atLeast, deadline);
            data = abi.encodeCall(PayoutEscrow.claim, (_terms[i], to, atLeast, deadline, r, vs));
        } else {
            (bytes32 r, bytes32 vs) = signReclaim(RECLAIM + i, address(ESCROW), id, atLeast, deadline);
            data = abi.encodeCall(PayoutEscrow.reclaim, (_terms[i], atLeast, deadline, r, vs));
        }
        _calls.push(SignedCall(i, isClaim, to, atLeast, deadline, data));
    }

    function _submit(uint256 index) private returns (bool success) {
        SignedCall memory c = _calls[index];
        uint256 time = vm.getBlockTimestamp();
        bool expired = time >= _terms[c.payout].expiry;
        bool allowed = c.isClaim ? !expired && time <= c.deadline : expired || time <= c.deadline;
        bool expected = allowed && _payable(c.payout, c.to, c.atLeast);
        uint256 balance = USDC.balanceOf(ESCROW.payoutAddress(_terms[c.payout]));
        (success,) = address(ESCROW).call(c.data);
        vm.assertEq(success, expected, "differs from the model");
        if (!success) return false;
        if (c.isClaim) claimed[c.payout] += balance;
        else reclaimed[c.payout] += balance;
    }

    function _payable(uint256 i, address to, uint64 atLeast) private view returns (bool) {
        uint256 balance = funded[i] - claimed[i] - reclaimed[i];
        return balance > 0 && balance >= atLeast && !_paused && !USDC.isBlacklisted(to);
    }
}
