// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";
import {IAgentWallet} from "../../src/IAgentWallet.sol";
import {Base} from "../base/Base.sol";

contract RotateSessionKeyTest is Base {
    uint64 private constant CAP = 10_000e6;
    uint256 private constant NEW = 0x11e3;

    /// @dev Midnight UTC, a day after the wallet was created.
    uint256 private constant DAY = (uint256(START) / 1 days + 1) * 1 days;

    function setUp() public override {
        super.setUp();
        vm.warp(DAY);
    }

    function _expectRotationRevert(uint64 limit, uint40 validUntil, uint32 epoch, bytes memory reason) private {
        address key = vm.addr(NEW);
        uint48 deadline = uint48(vm.getBlockTimestamp() + 300);
        (bytes32 r, bytes32 vs) = signRotate(OPERATOR, address(wallet), key, limit, 0, validUntil, epoch, deadline);
        vm.expectRevert(reason);
        wallet.rotateSessionKey(key, limit, 0, validUntil, epoch, deadline, r, vs);
    }

    function _spend(uint256 key, uint64 amount) private {
        AgentWallet.State memory state = wallet.state();
        uint48 deadline = uint48(vm.getBlockTimestamp() + 300);
        send(key, RECIPIENT, amount, state.top + 1, deadline);
    }

    function testFuzz_rotate_replacesTheWholeSession(uint64 limit, uint16 allowance, uint40 validUntil) public {
        limit = uint64(bound(limit, 0, CAP));
        allowance = uint16(bound(allowance, 0, limit / 1e6));
        validUntil = uint40(bound(validUntil, 0, DAY + 90 days));
        rotate(NEW, limit, allowance, validUntil, 1);

        AgentWallet.State memory state = wallet.state();
        vm.assertEq(state.sessionKey, vm.addr(NEW));
        vm.assertEq(state.validUntil, validUntil);
        vm.assertEq(state.remaining, limit - uint256(allowance) * 1e6);
        vm.assertEq(state.purchaseAllowance, allowance);
        vm.assertEq(state.epoch, 2);
        vm.assertEq(state.top, nonceOf(2, 0));
        vm.assertEq(state.seen, 0);
        vm.assertEq(state.ownerNonce, 0);
        vm.assertEq(state.grantDay, DAY / 1 days);
        vm.assertEq(state.grantedToday, limit);
    }

    function test_rotate_endsEverythingTheOldKeySigned() public {
        uint48 deadline = uint48(DAY + 300);
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 5, nonceOf(1, 9), deadline);
        rotate(NEW, LIMIT, VALID_UNTIL, 1);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.WrongEpoch.selector, 1, 2));
        wallet.send(RECIPIENT, 5, nonceOf(1, 9), deadline, r, vs);
        (r, vs) = signSend(SESSION, address(wallet), RECIPIENT, 5, nonceOf(2, 9), deadline);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.WrongSigner.selector, vm.addr(SESSION), vm.addr(NEW)));
        wallet.send(RECIPIENT, 5, nonceOf(2, 9), deadline, r, vs);
        _spend(NEW, 5);
    }

    function test_rotate_reverts_whenReplayed() public {
        uint48 deadline = uint48(DAY + 300);
        address key = vm.addr(NEW);
        (bytes32 r, bytes32 vs) = signRotate(OPERATOR, address(wallet), key, LIMIT, 0, VALID_UNTIL, 1, deadline);
        wallet.rotateSessionKey(key, LIMIT, 0, VALID_UNTIL, 1, deadline, r, vs);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.WrongEpoch.selector, 1, 2));
        wallet.rotateSessionKey(key, LIMIT, 0, VALID_UNTIL, 1, deadline, r, vs);
    }

    function testFuzz_rotate_reverts_whenNotAnOperator(uint256 key) public {
        key = bound(key, 1, 1 << 250);
        vm.assume(key != OPERATOR);
        (bytes32 r, bytes32 vs) = signRotate(key, address(wallet), RECIPIENT, LIMIT, 0, VALID_UNTIL, 1, uint48(DAY + 300));
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.NotOperator.selector, vm.addr(key)));
        wallet.rotateSessionKey(RECIPIENT, LIMIT, 0, VALID_UNTIL, 1, uint48(DAY + 300), r, vs);
    }

    function test_rotate_reverts_whenTheOperatorWasRemoved() public {
        (bytes32 r, bytes32 vs) =
            signRotate(OPERATOR, address(wallet), RECIPIENT, LIMIT, 0, VALID_UNTIL, 1, uint48(DAY + 300));
        vm.prank(ADMIN);
        provider.setOperator(vm.addr(OPERATOR), false);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.NotOperator.selector, vm.addr(OPERATOR)));
        wallet.rotateSessionKey(RECIPIENT, LIMIT, 0, VALID_UNTIL, 1, uint48(DAY + 300), r, vs);
    }

    function test_rotate_reverts_whilePaused_andWorksAfter() public {
        vm.prank(ADMIN);
        provider.pauseRotations();
        _expectRotationRevert(
            LIMIT, VALID_UNTIL, 1, abi.encodeWithSelector(IAgentWallet.NotOperator.selector, vm.addr(OPERATOR))
        );
        vm.prank(ADMIN);
        provider.unpauseRotations();
        rotate(NEW, LIMIT, VALID_UNTIL, 1);
    }

    function test_rotate_reverts_afterTheDeadline() public {
        (bytes32 r, bytes32 vs) = signRotate(OPERATOR, address(wallet), RECIPIENT, LIMIT, 0, VALID_UNTIL, 1, uint48(DAY));
        vm.warp(DAY + 1);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.SignatureExpired.selector, DAY, DAY + 1));
        wallet.rotateSessionKey(RECIPIENT, LIMIT, 0, VALID_UNTIL, 1, uint48(DAY), r, vs);
    }

    function testFuzz_rotate_reverts_whenAnotherEpochIsExpected(uint32 epoch) public {
        vm.assume(epoch != 1);
        _expectRotationRevert(
            LIMIT, VALID_UNTIL, epoch, abi.encodeWithSelector(IAgentWallet.WrongEpoch.selector, epoch, 1)
        );
    }

    function test_rotate_reverts_whenKeyIsZero() public {
        (bytes32 r, bytes32 vs) = signRotate(OPERATOR, address(wallet), address(0), LIMIT, 0, VALID_UNTIL, 1, uint48(DAY));
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.InvalidSessionKey.selector, address(0)));
        wallet.rotateSessionKey(address(0), LIMIT, 0, VALID_UNTIL, 1, uint48(DAY), r, vs);
    }

    function testFuzz_rotate_reverts_aboveTheGrantCap(uint64 limit) public {
        limit = uint64(bound(limit, CAP + 1, type(uint64).max));
        _expectRotationRevert(
            limit, VALID_UNTIL, 1, abi.encodeWithSelector(IAgentWallet.LimitTooHigh.selector, limit, CAP)
        );
    }

    function test_rotate_reverts_whenTheAllowanceExceedsTheLimit() public {
        uint48 deadline = uint48(DAY + 300);
        (bytes32 r, bytes32 vs) =
            signRotate(OPERATOR, address(wallet), vm.addr(NEW), 5e6 - 1, 5, VALID_UNTIL, 1, deadline);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.PurchaseAllowanceTooHigh.selector, 5, 5e6 - 1));
        wallet.rotateSessionKey(vm.addr(NEW), 5e6 - 1, 5, VALID_UNTIL, 1, deadline, r, vs);
    }

    /// @dev The operator signs the allowance too: nobody else may divide the limit in another way.
    function testFuzz_rotate_reverts_whenTheAllowanceWasChanged(uint16 allowance) public {
        allowance = uint16(bound(allowance, 0, LIMIT / 1e6));
        vm.assume(allowance != 5);
        uint48 deadline = uint48(DAY + 300);
        (bytes32 r, bytes32 vs) =
            signRotate(OPERATOR, address(wallet), vm.addr(NEW), LIMIT, 5, VALID_UNTIL, 1, deadline);
        bytes memory data = abi.encodeCall(
            AgentWallet.rotateSessionKey, (vm.addr(NEW), LIMIT, allowance, VALID_UNTIL, 1, deadline, r, vs)
        );
        vm.assertFalse(attempt(STRANGER, address(wallet), data), "accepted");
    }

    function test_rotate_acceptsExactlyTheCaps() public {
        rotate(NEW, CAP, uint40(DAY + 90 days), 1);
        vm.assertEq(wallet.state().validUntil, DAY + 90 days);
        vm.assertEq(wallet.state().remaining, CAP);
    }

    function testFuzz_rotate_reverts_beyondNinetyDays(uint40 validUntil) public {
        validUntil = uint40(bound(validUntil, DAY + 90 days + 1, type(uint40).max));
        _expectRotationRevert(
            LIMIT,
            validUntil,
            1,
            abi.encodeWithSelector(IAgentWallet.ValidityTooLong.selector, validUntil, DAY + 90 days)
        );
    }

    function test_rotate_reverts_oneMicroUsdcOverTheDay() public {
        rotate(NEW, CAP, VALID_UNTIL, 1);
        _spend(NEW, 5);
        rotate(NEW, CAP - 5, VALID_UNTIL, 2);
        vm.assertEq(wallet.state().grantedToday, CAP);
        _expectRotationRevert(
            CAP - 4, VALID_UNTIL, 3, abi.encodeWithSelector(IAgentWallet.DailyGrantExceeded.selector, CAP + 1, CAP)
        );
    }

    function test_rotate_allowsAnyNumberOfRotations_withoutNewBudget() public {
        rotate(NEW, CAP, VALID_UNTIL, 1);
        for (uint32 i = 0; i < 20; ++i) {
            rotate(NEW + i, CAP, VALID_UNTIL, 2 + i);
            vm.assertEq(wallet.state().grantedToday, CAP);
        }
    }

    function test_rotate_restoresUnspentGrants() public {
        rotate(NEW, 6_000e6, VALID_UNTIL, 1);
        rotate(NEW, 0, VALID_UNTIL, 2);
        vm.assertEq(wallet.state().grantedToday, 0);
        rotate(NEW, CAP, VALID_UNTIL, 3);
    }

    /// @dev Budget left from an earlier day counts, since the holder of the new key gains access to it.
    function test_rotate_countsBudgetLeftFromAnEarlierDay() public {
        rotate(NEW, CAP, VALID_UNTIL, 1);
        vm.warp(DAY + 1 days);
        rotate(NEW, CAP, VALID_UNTIL, 2);
        vm.assertEq(wallet.state().grantedToday, CAP);
        _spend(NEW, CAP);
        _expectRotationRevert(
            1, VALID_UNTIL, 3, abi.encodeWithSelector(IAgentWallet.DailyGrantExceeded.selector, CAP + 1, CAP)
        );
    }

    function test_rotate_replacesAnOwnersSession_afterTheDailyCapIsReached() public {
        rotate(NEW, CAP, VALID_UNTIL, 1);
        vm.prank(vm.addr(OWNER));
        wallet.setSession(vm.addr(SESSION), 3_000e6, 0, VALID_UNTIL);
        rotate(NEW, 3_000e6, VALID_UNTIL, 3);
        vm.assertEq(wallet.state().grantedToday, CAP + 3_000e6);
        _spend(NEW, 1);
        _expectRotationRevert(
            3_000e6,
            VALID_UNTIL,
            4,
            abi.encodeWithSelector(IAgentWallet.DailyGrantExceeded.selector, CAP + 3_000e6 + 1, CAP)
        );
    }

    function test_rotate_resetsTheDailyCap_atMidnightUtc() public {
        rotate(NEW, CAP, VALID_UNTIL, 1);
        _spend(NEW, CAP);
        vm.warp(DAY + 1 days - 1);
        _expectRotationRevert(
            1, VALID_UNTIL, 2, abi.encodeWithSelector(IAgentWallet.DailyGrantExceeded.selector, CAP + 1, CAP)
        );
        vm.warp(DAY + 1 days);
        vm.assertEq(wallet.state().grantedToday, 0);
        rotate(NEW, CAP, VALID_UNTIL, 2);
    }

    /// @dev A limit counts whole. What is left for sends is subtracted by the next rotation, a purchase allowance never
    /// is: the wallet does not know whether purchases used it.
    function test_rotate_neverCreditsAPurchaseAllowance() public {
        rotate(NEW, 9_000e6, 4_000, VALID_UNTIL, 1);
        vm.assertEq(wallet.state().grantedToday, 9_000e6);
        rotate(NEW, 5_000e6, 1_000, VALID_UNTIL, 2);
        vm.assertEq(wallet.state().grantedToday, 9_000e6);
        rotate(NEW, 4_000e6, 0, VALID_UNTIL, 3);
        vm.assertEq(wallet.state().grantedToday, 9_000e6);
        rotate(NEW, 5_000e6, 5_000, VALID_UNTIL, 4);
        vm.assertEq(wallet.state().grantedToday, CAP);
        _expectRotationRevert(
            1, VALID_UNTIL, 5, abi.encodeWithSelector(IAgentWallet.DailyGrantExceeded.selector, CAP + 1, CAP)
        );
    }

    /// @dev A6: a stolen operator key moves at most 20,000 USDC within 24 hours, from any session and at any times.
    function testFuzz_A6_aStolenOperatorKeyMovesAtMostTwiceTheCapInADay(uint48 ownerLimit, uint256 seed) public {
        vm.prank(vm.addr(OWNER));
        wallet.setSession(vm.addr(SESSION), ownerLimit, 0, uint40(DAY + 365 days));
        uint256 start = DAY + seed % 1 days;
        uint256 moved;
        for (uint256 i = 0; i < 24; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            vm.warp(start + i * 1 hours);
            uint64 limit = uint64(seed % 3 == 0 ? CAP : (seed >> 8) % (uint256(CAP) + 1));
            uint16 allowance = uint16(seed % 2 == 0 ? 0 : (seed >> 144) % (limit / 1e6 + 1));
            uint32 epoch = wallet.state().epoch;
            address key = vm.addr(NEW);
            uint48 deadline = uint48(vm.getBlockTimestamp());
            (bytes32 r, bytes32 vs) =
                signRotate(OPERATOR, address(wallet), key, limit, allowance, VALID_UNTIL, epoch, deadline);
            bytes memory data = abi.encodeCall(
                AgentWallet.rotateSessionKey, (key, limit, allowance, VALID_UNTIL, epoch, deadline, r, vs)
            );
            // The thief can take a purchase allowance in the second in which the session opens.
            if (attempt(STRANGER, address(wallet), data)) moved += uint256(allowance) * 1e6;
            AgentWallet.State memory state = wallet.state();
            if (state.sessionKey != key || state.remaining == 0) continue;
            uint64 amount = seed % 5 == 0 ? uint64((seed >> 80) % state.remaining) : state.remaining;
            if (amount == 0) continue;
            _spend(NEW, amount);
            moved += amount;
        }
        vm.assertLe(moved, 2 * uint256(CAP));
    }
}
