// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

import {UsdcAccounts} from "../../src/usdc/UsdcAccounts.sol";
import {UsdcMinting} from "../../src/usdc/UsdcMinting.sol";
import {UsdcStandIn} from "../../src/usdc/UsdcStandIn.sol";
import {UsdcTest} from "./UsdcTest.sol";

/// @dev Deployment, minters, pauser and blacklister.
contract UsdcRolesTest is UsdcTest {
    function test_metadata_isCircles() public view {
        vm.assertEq(usdc.name(), "USD Coin");
        vm.assertEq(usdc.symbol(), "USDC");
        vm.assertEq(usdc.version(), "2");
        vm.assertEq(usdc.decimals(), 6);
        vm.assertEq(usdc.totalSupply(), FUNDS + HOLDING);
        vm.assertEq(usdc.DOMAIN_SEPARATOR(), domainSeparator("USD Coin"));
    }

    /// @dev On Base Sepolia Circle named its token "USDC", also in the EIP-712 domain.
    function test_name_isUsdc_onBaseSepolia() public {
        vm.chainId(84_532);
        usdc = deployUsdc();
        vm.assertEq(usdc.name(), "USDC");
        vm.assertEq(usdc.DOMAIN_SEPARATOR(), domainSeparator("USDC"));
    }

    function test_initialize_reverts_whenRepeated() public {
        expectText("FiatToken: contract is already initialized");
        usdc.initialize(STRANGER);
    }

    function test_initialize_reverts_onTheImplementation() public {
        address implementation = address(uint160(uint256(vm.load(address(usdc), implementationSlot()))));
        expectText("FiatToken: contract is already initialized");
        UsdcStandIn(implementation).initialize(STRANGER);
    }

    function test_initialize_givesTheAdminEveryRole() public view {
        vm.assertEq(usdc.masterMinter(), ADMIN);
        vm.assertEq(usdc.pauser(), ADMIN);
        vm.assertEq(usdc.blacklister(), ADMIN);
        vm.assertTrue(usdc.isMinter(ADMIN), "not a minter");
        vm.assertEq(usdc.minterAllowance(ADMIN), type(uint256).max - FUNDS - HOLDING);
    }

    function test_proxy_refusesItsAdmin() public {
        expectText("Cannot call fallback function from the proxy admin");
        vm.prank(PROXY_ADMIN);
        usdc.totalSupply();
    }

    // Minters

    function test_mint_usesTheMintersAllowance() public {
        vm.expectEmit(address(usdc));
        emit UsdcMinting.MinterConfigured(STRANGER, 10);
        vm.prank(ADMIN);
        usdc.configureMinter(STRANGER, 10);
        vm.expectEmit(address(usdc));
        emit UsdcMinting.Mint(STRANGER, alice, 7);
        vm.expectEmit(address(usdc));
        emit IERC20.Transfer(address(0), alice, 7);
        vm.prank(STRANGER);
        vm.assertTrue(usdc.mint(alice, 7), "returned false");
        vm.assertEq(usdc.balanceOf(alice), HOLDING + 7);
        vm.assertEq(usdc.minterAllowance(STRANGER), 3);

        expectText("FiatToken: mint amount exceeds minterAllowance");
        vm.prank(STRANGER);
        usdc.mint(alice, 4);
        vm.prank(ADMIN);
        usdc.configureMinter(STRANGER, 4);
        vm.prank(STRANGER);
        usdc.mint(alice, 4);
        vm.assertEq(usdc.totalSupply(), FUNDS + HOLDING + 11);
    }

    function test_mint_reverts_forZero_andToTheZeroAddress() public {
        expectText("FiatToken: mint amount not greater than 0");
        vm.prank(ADMIN);
        usdc.mint(alice, 0);
        expectText("FiatToken: mint to the zero address");
        vm.prank(ADMIN);
        usdc.mint(address(0), 0);
    }

    function test_mint_reverts_whenTheSupplyOverflows() public {
        vm.prank(ADMIN);
        usdc.configureMinter(ADMIN, type(uint256).max);
        expectText("SafeMath: addition overflow");
        vm.prank(ADMIN);
        usdc.mint(alice, type(uint256).max);
        expectText("FiatTokenV2_2: Balance exceeds (2^255 - 1)");
        vm.prank(ADMIN);
        usdc.mint(alice, 1 << 255);
    }

    /// @dev Circle checks the pause first, then the minter, then the blacklist.
    function test_mint_checksTheMinterBeforeTheBlacklist() public {
        setBlacklisted(STRANGER, true);
        expectText("FiatToken: caller is not a minter");
        vm.prank(STRANGER);
        usdc.mint(STRANGER, 1);
        vm.prank(ADMIN);
        usdc.configureMinter(STRANGER, 1);
        expectText("Blacklistable: account is blacklisted");
        vm.prank(STRANGER);
        usdc.mint(alice, 1);
        expectText("Blacklistable: account is blacklisted");
        vm.prank(ADMIN);
        usdc.mint(STRANGER, 1);
        vm.prank(ADMIN);
        usdc.pause();
        expectText("Pausable: paused");
        usdc.mint(alice, 1);
    }

    function test_removeMinter_endsItsMinting() public {
        vm.expectEmit(address(usdc));
        emit UsdcMinting.MinterRemoved(ADMIN);
        vm.prank(ADMIN);
        usdc.removeMinter(ADMIN);
        vm.assertEq(usdc.minterAllowance(ADMIN), 0);
        expectText("FiatToken: caller is not a minter");
        vm.prank(ADMIN);
        usdc.mint(alice, 1);
    }

    function test_configureMinter_reverts_whilePaused() public {
        vm.prank(ADMIN);
        usdc.pause();
        expectText("Pausable: paused");
        vm.prank(ADMIN);
        usdc.configureMinter(STRANGER, 1);
    }

    // Pauser and blacklister

    function test_pause_andUnpause_emitTheirEvents() public {
        vm.expectEmit(address(usdc));
        emit UsdcAccounts.Pause();
        vm.prank(ADMIN);
        usdc.pause();
        vm.assertTrue(usdc.paused(), "not paused");
        vm.expectEmit(address(usdc));
        emit UsdcAccounts.Unpause();
        vm.prank(ADMIN);
        usdc.unpause();
        vm.prank(alice);
        usdc.transfer(RECIPIENT, 1);
    }

    function test_blacklist_stopsBothDirections_andKeepsTheBalance() public {
        vm.expectEmit(address(usdc));
        emit UsdcAccounts.Blacklisted(alice);
        setBlacklisted(alice, true);
        vm.assertTrue(usdc.isBlacklisted(alice), "not blacklisted");
        vm.assertEq(usdc.balanceOf(alice), HOLDING);
        expectText("Blacklistable: account is blacklisted");
        vm.prank(alice);
        usdc.transfer(RECIPIENT, 1);
        expectText("Blacklistable: account is blacklisted");
        vm.prank(address(wallet));
        usdc.transfer(alice, 1);
        vm.expectEmit(address(usdc));
        emit UsdcAccounts.UnBlacklisted(alice);
        setBlacklisted(alice, false);
        vm.assertEq(usdc.balanceOf(alice), HOLDING);
        vm.assertFalse(usdc.isBlacklisted(alice), "still blacklisted");
    }

    function testFuzz_roles_areRequired(address caller) public {
        vm.assume(caller != ADMIN && caller != PROXY_ADMIN);
        expectText("Pausable: caller is not the pauser");
        vm.prank(caller);
        usdc.pause();
        expectText("Pausable: caller is not the pauser");
        vm.prank(caller);
        usdc.unpause();
        expectText("Blacklistable: caller is not the blacklister");
        vm.prank(caller);
        usdc.blacklist(alice);
        expectText("Blacklistable: caller is not the blacklister");
        vm.prank(caller);
        usdc.unBlacklist(alice);
        expectText("FiatToken: caller is not the masterMinter");
        vm.prank(caller);
        usdc.configureMinter(caller, 1);
        expectText("FiatToken: caller is not the masterMinter");
        vm.prank(caller);
        usdc.removeMinter(ADMIN);
    }
}
