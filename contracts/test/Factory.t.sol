// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../src/AgentWallet.sol";
import {IAgentWallet} from "../src/IAgentWallet.sol";
import {AgentWalletFactory} from "../src/AgentWalletFactory.sol";
import {Base} from "./base/Base.sol";

contract FactoryTest is Base {
    uint64 private constant CAP = 10_000e6;

    function testFuzz_createWallet_landsAtThePredictedAddress(
        address owner,
        bytes32 salt,
        address key,
        uint64 limit,
        uint16 allowance,
        uint40 validUntil
    ) public {
        vm.assume(owner != address(0) && owner.code.length == 0 && key != address(0));
        limit = uint64(bound(limit, 0, CAP));
        allowance = uint16(bound(allowance, 0, limit / 1e6));
        validUntil = uint40(bound(validUntil, 0, START + 90 days));
        address predicted = factory.walletAddress(owner, salt, key, limit, allowance, validUntil);
        vm.assume(predicted != address(wallet));
        vm.assertEq(predicted.code.length, 0);

        address created = factory.createWallet(owner, salt, key, limit, allowance, validUntil);
        vm.assertEq(created, predicted);
        AgentWallet.State memory state = AgentWallet(created).state();
        vm.assertEq(state.sessionKey, key);
        vm.assertEq(state.remaining, limit - uint256(allowance) * 1e6);
        vm.assertEq(state.purchaseAllowance, allowance);
        vm.assertEq(state.validUntil, validUntil);
        vm.assertEq(state.epoch, 1);
        vm.assertEq(AgentWallet(created).owner(), owner);
        vm.assertEq(AgentWallet(created).provider(), address(provider));
    }

    /// @dev The address commits to every parameter, so no one can create the wallet first with a different session.
    function testFuzz_walletAddress_coversEveryParameter(uint256 which, uint256 change) public view {
        address owner = vm.addr(OWNER);
        address key = vm.addr(SESSION);
        address original = factory.walletAddress(owner, 0, key, LIMIT, 0, VALID_UNTIL);
        change = bound(change, 1, type(uint32).max);
        which %= 6;
        address changed = factory.walletAddress(
            which == 0 ? address(uint160(owner) ^ uint160(change)) : owner,
            which == 1 ? bytes32(change) : bytes32(0),
            which == 2 ? address(uint160(key) ^ uint160(change)) : key,
            which == 3 ? LIMIT + uint64(change) : LIMIT,
            which == 4 ? uint16(bound(change, 1, type(uint16).max)) : 0,
            which == 5 ? VALID_UNTIL + uint40(change) : VALID_UNTIL
        );
        vm.assertTrue(changed != original, "same address");
    }

    function test_walletAddress_coversTheProvider() public {
        AgentWalletFactory other = AgentWalletFactory(deploy("AgentWalletFactory", abi.encode(usdc, escrow, provider)));
        vm.assertTrue(
            other.walletAddress(vm.addr(OWNER), 0, vm.addr(SESSION), LIMIT, 0, VALID_UNTIL) != address(wallet), "same"
        );
    }

    function test_createWallet_emitsWalletCreated() public {
        address owner = vm.addr(OWNER);
        address key = vm.addr(SESSION);
        address predicted = factory.walletAddress(owner, "x", key, LIMIT, 0, VALID_UNTIL);
        vm.expectEmit(address(factory));
        emit AgentWalletFactory.WalletCreated(predicted, owner);
        factory.createWallet(owner, "x", key, LIMIT, 0, VALID_UNTIL);
    }

    function test_createWallet_isIdempotent_afterTheSessionExpired() public {
        send(RECIPIENT, 5, nonceOf(1, 0));
        vm.warp(uint256(VALID_UNTIL) + 1);
        vm.recordLogs();
        vm.assertEq(address(create(0)), address(wallet));
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.assertEq(wallet.state().remaining, LIMIT - 5);
        vm.assertEq(wallet.state().epoch, 1);
    }

    function test_createWallet_isIdempotent_whenTheOwnerHasSinceGainedCode() public {
        vm.etch(vm.addr(OWNER), hex"00");
        vm.assertEq(address(create(0)), address(wallet));
    }

    /// @dev Money may have been sent to the address earlier; the owner must be able to withdraw it.
    function test_createWallet_works_afterTheFirstSessionEnded() public {
        address predicted = factory.walletAddress(vm.addr(OWNER), "late", vm.addr(SESSION), LIMIT, 0, VALID_UNTIL);
        mint(predicted, 500);
        vm.warp(uint256(VALID_UNTIL) + 100 days);
        AgentWallet late = create("late");
        vm.prank(vm.addr(OWNER));
        late.withdraw(address(usdc), RECIPIENT, 500);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 500);
    }

    function test_createWallet_reverts_whenOwnerIsZero() public {
        vm.expectRevert(abi.encodeWithSelector(AgentWalletFactory.ZeroOwner.selector));
        factory.createWallet(address(0), 0, vm.addr(SESSION), LIMIT, 0, VALID_UNTIL);
    }

    function test_createWallet_reverts_whenOwnerHasCode() public {
        vm.expectRevert(abi.encodeWithSelector(AgentWalletFactory.OwnerHasCode.selector, address(relay)));
        factory.createWallet(address(relay), 0, vm.addr(SESSION), LIMIT, 0, VALID_UNTIL);
    }

    function test_createWallet_reverts_whenSessionKeyIsZero() public {
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.InvalidSessionKey.selector, address(0)));
        factory.createWallet(vm.addr(OWNER), 0, address(0), LIMIT, 0, VALID_UNTIL);
    }

    function testFuzz_createWallet_reverts_aboveTheGrantCap(uint64 limit) public {
        limit = uint64(bound(limit, CAP + 1, type(uint64).max));
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.LimitTooHigh.selector, limit, CAP));
        factory.createWallet(vm.addr(OWNER), 0, vm.addr(SESSION), limit, 0, VALID_UNTIL);
    }

    function test_createWallet_reverts_whenTheAllowanceExceedsTheLimit() public {
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.PurchaseAllowanceTooHigh.selector, 5, 5e6 - 1));
        factory.createWallet(vm.addr(OWNER), 0, vm.addr(SESSION), 5e6 - 1, 5, VALID_UNTIL);
    }

    function testFuzz_createWallet_reverts_beyondNinetyDays(uint40 validUntil) public {
        validUntil = uint40(bound(validUntil, START + 90 days + 1, type(uint40).max));
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.ValidityTooLong.selector, validUntil, START + 90 days));
        factory.createWallet(vm.addr(OWNER), 0, vm.addr(SESSION), LIMIT, 0, validUntil);
    }

    /// @dev A clone of immutable code: no part of the wallet's code can be replaced.
    function test_wallet_isACloneWithItsArgumentsInCode() public view {
        bytes memory expected = abi.encodePacked(
            hex"363d3d373d3d3d363d73",
            address(factory.IMPLEMENTATION()),
            hex"5af43d82803e903d91602b57fd5bf3",
            vm.addr(OWNER),
            address(provider)
        );
        vm.assertEq(keccak256(address(wallet).code), keccak256(expected));
    }
}
